/* The window of time that was chosen last goes along: the pages that have one are opened with it. */

const STORED = 'loam-window'
const DEFAULT = '24h'

/* A page that has a window says it in the navigation; there the service has written the links already. */
export function carryWindow() {
  const nav = document.getElementById('nav')
  if (!nav) return
  const { window: here } = nav.dataset
  if (here) return localStorage.setItem(STORED, here)
  const chosen = localStorage.getItem(STORED) ?? DEFAULT
  for (const link of nav.querySelectorAll('[data-windowed]')) {
    const url = new URL(link.href)
    if (chosen === DEFAULT) url.searchParams.delete('w')
    else url.searchParams.set('w', chosen)
    if (link.href !== url.href) link.href = url.href
  }
}
