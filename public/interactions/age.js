/* Returns how long ago a time was, in the words that the service uses on its pages. */
export function ago(iso) {
  const passedMs = Date.now() - Date.parse(iso)
  const [minuteMs, hourMs, dayMs] = [60e3, 3600e3, 86400e3]
  if (passedMs < 0) return 'now'
  if (passedMs < minuteMs) return 'just now'
  if (passedMs < hourMs) return `${Math.floor(passedMs / minuteMs)}m ago`
  if (passedMs < dayMs) return `${Math.floor(passedMs / hourMs)}h ago`
  if (passedMs < 30 * dayMs) return `${Math.floor(passedMs / dayMs)}d ago`
  if (passedMs < 365 * dayMs) return `${Math.floor(passedMs / (30 * dayMs))}mo ago`
  return `${Math.floor(passedMs / (365 * dayMs))}y ago`
}
