/* The next and the previous row of a rail or of a list of hits. */
import { isWide, openItem } from './reader.js'

/* The focus moves along with the rows, so that Enter and Tab go on from there. */
export function step(by) {
  const rows = [...document.querySelectorAll('[data-rail] .rail-item, #main .hit')]
  if (rows.length === 0) return
  const opens = isWide() && rows[0].matches('.rail-item')
  const at = rows.findIndex((row) =>
    opens ? row.hasAttribute('aria-current') : row === document.activeElement,
  )
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
  next.focus({ preventScroll: opens })
  if (opens && next !== rows[at]) void openItem(next)
}
