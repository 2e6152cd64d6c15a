/* Refreshes the page when something changed, but never while the owner is in the middle of something. */
import { currentAddress } from './address.js'
import { fetchPage } from './fetch-page.js'
import { replacePage } from './replace-page.js'
import { showToast, withdrawButton } from './toast.js'
import { turnsSoFar } from './turns.js'

const REST_MS = 700
const HOLD_MS = 1500

let updates = 0
let due
let refreshing = false

/* Counts a change and refreshes when no other has come for a moment. */
export function noteUpdate() {
  updates++
  planRefresh(REST_MS)
}

export function planRefresh(afterMs) {
  clearTimeout(due)
  due = setTimeout(refresh, afterMs)
}

/* A refresh would move the page under the hand. */
function mustHold() {
  const field = document.activeElement
  const typing =
    field && /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) && field.value !== field.defaultValue
  const selecting = String(getSelection()) !== ''
  return document.hidden || typing || selecting || document.querySelector('dialog[open]') !== null
}

async function refresh() {
  if (refreshing) return planRefresh(HOLD_MS)
  if (!mustHold()) return refreshNow()
  if (!document.hidden)
    showToast(`${updates} ${updates === 1 ? 'update' : 'updates'}`, () => refreshNow())
  planRefresh(HOLD_MS)
}

async function refreshNow() {
  clearTimeout(due)
  refreshing = true
  const before = turnsSoFar()
  try {
    const page = await fetchPage(currentAddress())
    // The owner turned to something else meanwhile: this answer belongs to the page before.
    if (turnsSoFar() !== before) return planRefresh(0)
    if (!page) return
    replacePage(page)
    updates = 0
    withdrawButton()
  } catch {
    planRefresh(HOLD_MS)
  } finally {
    refreshing = false
  }
}
