/* The rows of the page's lists. A list is one stop of the Tab key: the selected row, or the first. */

const LISTS = '[data-rail], [data-rows]'
const ROWS = '.rail-item, .row, #main .hit'

export const rows = () =>
  [...document.querySelectorAll(ROWS)].filter((row) => row.checkVisibility?.() ?? true)

export const selectedRow = () =>
  document.activeElement?.closest?.(ROWS) ??
  document.querySelector('.row[aria-current=true], .rail-item[aria-current=true]')

export const isRailItem = (row) => row.matches('.rail-item')

/* The link to the page of a row. */
export const linkOf = (row) => (row.matches('a') ? row : row.querySelector('[data-open]'))

/* Selects a row at once; what it opens follows. */
export function selectRow(row) {
  for (const one of document.querySelectorAll('.row[aria-current], .rail-item[aria-current]'))
    one.removeAttribute('aria-current')
  if (!row.matches('.hit')) row.setAttribute('aria-current', 'true')
  const list = row.closest(LISTS)
  if (list) oneStop(list)
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

/* The row of the first list within that the Tab key stops at. */
export const stopOf = (root) =>
  root.querySelector(':is([data-rail], [data-rows]) :is(.rail-item, .row)[tabindex="0"]')

/* Makes each list below one stop. */
export function makeStops(root) {
  for (const list of document.querySelectorAll(LISTS))
    if (root === document || root.contains(list) || list.contains(root)) oneStop(list)
}

function oneStop(list) {
  const all = [...list.querySelectorAll('.rail-item, .row')]
  const stop = all.find((row) => row.hasAttribute('aria-current')) ?? all[0]
  for (const row of all) {
    row.tabIndex = row === stop ? 0 : -1
    for (const inner of row.querySelectorAll('a, button')) inner.tabIndex = -1
  }
}
