/* Leases run out before the eye: m:ss, from one hour on hours and minutes. */

import { nowMs } from './now.js'

const SHORT_MS = 300_000

export function tickLeases(root) {
  for (const time of root.querySelectorAll('time[data-lease]')) {
    const leftMs = Date.parse(time.dateTime) - nowMs()
    const text = leftOf(leftMs)
    if (time.textContent !== text) time.textContent = text
    time.classList.toggle('lease--short', leftMs < SHORT_MS)
  }
}

function leftOf(leftMs) {
  if (leftMs <= 0) return 'lapsed'
  const seconds = Math.floor(leftMs / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}

export const startLeases = () => setInterval(() => tickLeases(document), 1000)
