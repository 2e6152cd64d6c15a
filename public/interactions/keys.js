/* What single keys do to the page. The other script hears them. */
import { copy } from './copy.js'
import { goTo } from './away.js'
import { toggleDisplay } from './display.js'
import { enhance } from './enhance.js'
import { closePeek, togglePeek } from './peek.js'
import { leaveSheet } from './reader.js'
import { selectedRow } from './rows.js'
import { enterRow, openPage, step, stepGroup } from './step.js'
import { showToast } from './toast.js'

const WINDOWS = '[data-windows] a, #menu-w .menu-list a, #menu-window .menu-list a'

function copyId() {
  const row = document.querySelector('.row[aria-current=true]')
  if (row) return void copy(row.dataset.item ?? row.id.replace(/^\w+-/, ''))
  document.querySelector('[data-copy-id], .event [data-copy]')?.click()
}

function star() {
  const place = document.querySelector('#peek:not([hidden]) [data-star]')
  const button = place ?? document.querySelector('#main [data-star]')
  if (button) button.click()
  else showToast('Nothing here can be starred.')
}

/* The window before and after the one that the page shows. */
function stepWindow(by) {
  const links = [...document.querySelectorAll(WINDOWS)]
  const next = links[links.findIndex((link) => link.hasAttribute('aria-current')) + by]
  if (next) void goTo(next.href)
}

function toggleTimes() {
  toggleDisplay('times')
  enhance(document)
}

export const PAGE_KEYS = {
  j: () => step(1),
  k: () => step(-1),
  l: () => stepGroup(1),
  h: () => stepGroup(-1),
  o: openPage,
  Enter: enterRow,
  ' ': () => togglePeek(selectedRow()),
  '.': star,
  c: copyId,
  u: () => void copy(location.href),
  t: toggleTimes,
  d: () => toggleDisplay('density'),
  '[': () => stepWindow(-1),
  ']': () => stepWindow(1),
  Escape: () => closePeek() || leaveSheet(),
}
