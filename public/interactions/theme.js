/* The theme: the one of the system, or the one that the owner chose in this browser. */

const STORED = 'loam-theme'

/* Runs before the first paint, or a dark page would flash white. */
export function applyStoredTheme() {
  const stored = localStorage.getItem(STORED)
  if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored
}

export function toggleTheme() {
  const root = document.documentElement
  const dark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = dark ? 'light' : 'dark'
  localStorage.setItem(STORED, root.dataset.theme)
}

export function startTheme() {
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('[data-theme-toggle]')) toggleTheme()
  })
}
