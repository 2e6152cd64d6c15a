/* The steps through a list by keys. */
import { goTo } from './away.js'
import { isPeeking, peekAt } from './peek.js'
import { focusSheet, isWide, openItem } from './reader.js'
import { isRailItem, linkOf, rows, selectedRow, selectRow } from './rows.js'

/* The next and the previous row: the selection moves at once, and what it opens follows. */
export function step(by) {
  const all = rows()
  const at = all.indexOf(selectedRow())
  move(all[Math.min(all.length - 1, Math.max(0, at + by))])
}

/* The first row of the next and of the previous group. */
export function stepGroup(by) {
  const groups = [...document.querySelectorAll('.rail-group, [data-rows] tbody')].filter((group) =>
    group.querySelector('.rail-item, .row'),
  )
  // The page of one thing has no groups: it leads to the thing before it and to the one after it.
  if (groups.length === 0)
    return document.querySelector(`#main a[rel=${by < 0 ? 'prev' : 'next'}]`)?.click()
  const at = groups.findIndex((group) => group.contains(selectedRow()))
  move(groups[Math.min(groups.length - 1, Math.max(0, at + by))]?.querySelector('.rail-item, .row'))
}

function move(row) {
  if (!row || row === document.activeElement) return
  const opens = isRailItem(row) && isWide()
  const isOpen = row.hasAttribute('aria-current')
  selectRow(row)
  if (opens && !isOpen) openItem(row, { push: false, rest: true })
  else if (isPeeking()) peekAt(row, { rest: true })
}

/* Enter reads on: the sheet of a text, the page of a row. */
export function enterRow() {
  const row = selectedRow()
  if (row && isRailItem(row) && isWide()) focusSheet()
  else openPage()
}

export function openPage() {
  const row = selectedRow()
  const link = row && linkOf(row)
  if (link) void goTo(link.href)
}
