/* What single keys do to the page. The other script hears them. */
import { star } from './act.js'
import { copy } from './copy.js'
import { goTo } from './away.js'
import { toggleDisplay } from './display.js'
import { enhance } from './enhance.js'
import { idHere, thingHere } from './here.js'
import { closeMenu } from './menus.js'
import { closePeek, togglePeek } from './peek.js'
import { leaveSheet } from './reader.js'
import { selectedRow } from './rows.js'
import { enterRow, openPage, step, stepGroup } from './step.js'
import { showToast } from './toast.js'
import { decide, undoLast } from './triage.js'

const WINDOWS = '[data-windows] a, #menu-w .menu-list a, #menu-window .menu-list a'

function copyId() {
  const id = idHere()
  if (id) return void copy(id)
  document.querySelector('[data-copy-id], .event [data-copy]')?.click()
}

async function starThing() {
  const thing = thingHere()
  if (!thing) return showToast('Nothing here can be starred.')
  if (await star(thing)) thing.place.dataset.starred = thing.starred ? '0' : '1'
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
  '.': starThing,
  c: copyId,
  e: () => decide('apply'),
  x: () => decide('dismiss'),
  X: () => decide('hide'),
  z: undoLast,
  u: () => void copy(location.href),
  t: toggleTimes,
  d: () => toggleDisplay('density'),
  '[': () => stepWindow(-1),
  ']': () => stepWindow(1),
  Escape: () => closeMenu() || closePeek() || leaveSheet(),
}
