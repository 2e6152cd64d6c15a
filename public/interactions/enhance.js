/* What a script adds to markup that works without one. */
import { ago } from './age.js'
import { makeCalendarStops } from './calendar.js'
import { showsClock } from './display.js'
import { showInbox } from './inbox.js'
import { nowMs } from './now.js'
import { makeStops } from './rows.js'
import { tickLeases } from './lease.js'
import { carryWindow } from './window.js'

const AGES_MS = 30_000
const DAY_MS = 86_400_000

/* Shows what only a script can do, hides what a script replaces, and brings the ages up to date. */
export function enhance(root) {
  for (const one of root.querySelectorAll('[data-script]')) one.hidden = false
  for (const one of root.querySelectorAll('[data-no-script]')) one.hidden = true
  for (const time of root.querySelectorAll('time[data-ago]'))
    time.textContent = showsClock() ? clockOf(time) : agoOf(time)
  makeStops(root)
  makeCalendarStops(root)
  tickLeases(root)
  if (/Mac|iPhone|iPad/.test(navigator.platform))
    for (const key of root.querySelectorAll('.nav-key')) key.textContent = '⌘K'
  carryWindow()
  showInbox()
}

const agoOf = ({ dateTime, dataset }) => ago(dateTime, { short: dataset.ago === 'short' })

/* The title holds the exact time in the owner's zone: "2026-03-01 18:39:51 UTC". */
function clockOf({ dateTime, title }) {
  const today = nowMs() - Date.parse(dateTime) < DAY_MS
  return today ? title.slice(11, 16) : title.slice(5, 16)
}

export function startEnhancing() {
  enhance(document)
  const main = document.getElementById('main') ?? document
  setInterval(() => enhance(main), AGES_MS)
}
