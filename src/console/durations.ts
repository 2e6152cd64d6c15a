/** How long something took, and how long it still has. In seconds. */
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
const DAY_SECONDS = 24 * HOUR_SECONDS

/** `<1m`, `14m`, `2h 5m`, `3d 4h`. */
export function spanOf(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return '<1m'
  if (seconds < HOUR_SECONDS) return `${Math.floor(seconds / MINUTE_SECONDS)}m`
  const [unit, large, small, part] =
    seconds < DAY_SECONDS
      ? [HOUR_SECONDS, 'h', 'm', MINUTE_SECONDS]
      : ([DAY_SECONDS, 'd', 'h', HOUR_SECONDS] as const)
  const rest = Math.floor((seconds % unit) / part)
  return `${Math.floor(seconds / unit)}${large}${rest > 0 ? ` ${rest}${small}` : ''}`
}

/** `22m left`, `1h left`, `expired`. */
export function leftOf(seconds: number): string {
  if (seconds <= 0) return 'expired'
  if (seconds < HOUR_SECONDS) return `${Math.max(1, Math.floor(seconds / MINUTE_SECONDS))}m left`
  return `${Math.floor(seconds / HOUR_SECONDS)}h left`
}
