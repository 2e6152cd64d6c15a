/*
 * Asks again for what has changed: 150 ms after the first change, then once a second at most, however many
 * follow. Never while the owner is in the middle of something.
 */
import { currentAddress } from './address.js'
import { dueAt } from './concerns.js'
import { fetchPage } from './fetch-page.js'
import { isOpening } from './reader.js'
import { replacePage, replaceParts } from './replace-page.js'
import { showToast, withdrawButton } from './toast.js'
import { turnsSoFar } from './turns.js'

const FIRST_MS = 150
const GAP_MS = 1_000
const HOLD_MS = 1_500
const LOOK_MS = 5_000

const wanted = new Set()
const readAtMs = new Map()
const openedAtMs = Date.now()

let updates = 0
let timer
let dueMs = Infinity
let startedMs = -Infinity
let refreshing = false

/* Takes names of parts, 'page' for all of it and 'nav' for the navigation. */
export function want(names, { changes = 1, atOnce = false } = {}) {
  if (names.length === 0) return
  for (const name of names) wanted.add(name)
  updates += changes
  plan(atOnce ? 0 : FIRST_MS)
}

/* What is planned already is not put off by what comes later. */
function plan(afterMs) {
  const atMs = Math.max(Date.now() + afterMs, startedMs + GAP_MS)
  if (refreshing || atMs >= dueMs) return
  clearTimeout(timer)
  dueMs = atMs
  timer = setTimeout(refresh, atMs - Date.now())
}

/* A refresh would move the page under the hand. */
function mustHold() {
  const field = document.activeElement
  const typing =
    field && /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) && field.value !== field.defaultValue
  const selecting = String(getSelection()) !== ''
  return typing || selecting || document.querySelector('dialog[open]') !== null
}

async function refresh() {
  dueMs = Infinity
  // Once it is seen again it hears that it missed something.
  if (document.hidden) return
  // The address is still that of the row before, and the selection would go back there.
  if (isOpening()) return plan(FIRST_MS)
  if (!mustHold()) return refreshNow()
  const held = Math.max(1, updates)
  showToast(`${held} ${held === 1 ? 'update' : 'updates'}`, () => refreshNow())
  plan(HOLD_MS)
}

async function refreshNow() {
  if (refreshing) return
  clearTimeout(timer)
  // What is said from now on, as that the session has ended, stays.
  withdrawButton()
  dueMs = Infinity
  const names = [...wanted]
  wanted.clear()
  const before = turnsSoFar()
  refreshing = true
  startedMs = Date.now()
  let again = 0
  try {
    const done = await bring(names, () => isOpening() || turnsSoFar() !== before)
    if (!done) for (const name of names) wanted.add(name)
  } catch {
    for (const name of names) wanted.add(name)
    again = HOLD_MS
  } finally {
    refreshing = false
  }
  if (wanted.size > 0) return plan(again)
  updates = 0
}

/* Returns false when the owner turned to something else meanwhile: the answer belongs to the page before. */
async function bring(names, turned) {
  const parts = names.includes('page') ? undefined : names
  const page = await fetchPage(currentAddress(), { parts, onlyNew: true })
  if (turned()) return false
  if (page && (!parts || !replaceParts(page, parts))) {
    if (parts) wanted.add('page')
    else replacePage(page)
  }
  for (const name of parts ?? [...readAtMs.keys(), 'page']) readAtMs.set(name, Date.now())
  return true
}

/* Some parts change by time alone. */
export function startTimedRefresh() {
  const readAt = (name) => Math.max(openedAtMs, readAtMs.get(name) ?? 0, readAtMs.get('page') ?? 0)
  setInterval(() => {
    if (!document.hidden) want(dueAt(Date.now(), readAt), { changes: 0 })
  }, LOOK_MS)
}
