import { nowMs } from './now.js'

/* Returns how long ago a time was, in the words that the service uses: "12m ago", or "12m" in a list. */
export function ago(iso, { short } = {}) {
  const passedMs = nowMs() - Date.parse(iso)
  if (passedMs < 0) return 'now'
  if (passedMs < 60e3) return short ? `${Math.floor(passedMs / 1000)}s` : 'just now'
  return whole(passedMs) + (short ? '' : ' ago')
}

function whole(passedMs) {
  const [minuteMs, hourMs, dayMs] = [60e3, 3600e3, 86400e3]
  if (passedMs < hourMs) return `${Math.floor(passedMs / minuteMs)}m`
  if (passedMs < dayMs) return `${Math.floor(passedMs / hourMs)}h`
  if (passedMs < 30 * dayMs) return `${Math.floor(passedMs / dayMs)}d`
  if (passedMs < 365 * dayMs) return `${Math.floor(passedMs / (30 * dayMs))}mo`
  return `${Math.floor(passedMs / (365 * dayMs))}y`
}
