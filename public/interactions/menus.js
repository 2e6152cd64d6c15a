/* Menus close as menus do: by Escape, and by a click elsewhere. */

const openMenu = () => document.querySelector('details[data-menu-list][open]')

/* Returns false when none was open. */
export function closeMenu() {
  const menu = openMenu()
  if (!menu) return false
  const held = menu.contains(document.activeElement)
  menu.open = false
  if (held) menu.querySelector('summary').focus()
  return true
}

export function startMenus() {
  document.addEventListener('click', ({ target }) => {
    const menu = openMenu()
    if (menu && !menu.contains(target)) menu.open = false
  })
}
