import { maskSecrets } from './secrets.ts'

/** A secret that reaches past the cut is still seen whole by the masking. */
const MARGIN = 8_192

/** A text as the log keeps it: secrets masked, then cut to `limit` code points (0 keeps all), visibly. */
export function showText(text: string, limit: number): string {
  if (limit === 0) return maskSecrets(text)
  // A code point is at most two units, so this holds at least `limit` of them.
  const head = text.slice(0, 2 * limit + MARGIN)
  const masked = maskSecrets(head)
  const points = [...masked.slice(0, 2 * limit + 2)]
  if (head.length === text.length && points.length <= limit) return masked
  return `${points.slice(0, limit).join('')} [truncated]`
}
