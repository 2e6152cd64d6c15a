/* The menu of a narrow screen. Without scripts it is a link to the navigation. */
export function startMenu() {
  document.addEventListener('click', (event) => {
    const menu = event.target.closest?.('[data-menu]')
    if (!menu) return
    event.preventDefault()
    const open = document.getElementById('side').classList.toggle('side--open')
    menu.setAttribute('aria-expanded', String(open))
  })
}
