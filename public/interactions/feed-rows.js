/* The rows that the feed holds: no more than its bounds allow, by minute and session, the newest first. */

/* What arrived by itself is let go from the oldest on; what was added on purpose is held beside it. */
const LIVE_MOST = 500
/* Whatever is added, a page holds no more. */
const MOST = 2_000

let rows = []
const ids = new Set()
let added = 0

export const held = () => rows
export const isFull = () => rows.length >= MOST
export const timeOf = (row) => row.querySelector('time').dateTime
export const eventOf = (row) => row.id.slice('row-'.length)

/* Where a row stands: its time, and its id among those of the same moment. */
const places = new WeakMap()
function placeOf(row) {
  if (!places.has(row)) places.set(row, timeOf(row) + row.id)
  return places.get(row)
}

export const newestFirst = (a, b) => (placeOf(a) < placeOf(b) ? 1 : -1)

/* Of a fetched part, the rows that are not held. */
export const freshIn = (part) =>
  [...part.querySelectorAll('tr.row')].filter((row) => !ids.has(eventOf(row)))

/* Takes rows in; with `asked` the owner wanted them. Returns how many had to go. */
export function hold(fresh, { asked = false } = {}) {
  for (const row of fresh) ids.add(eventOf(row))
  if (asked) added += fresh.length
  rows = [...rows, ...fresh].sort(newestFirst)
  const over = rows.splice(Math.min(MOST, LIVE_MOST + added))
  letGo(over)
  return over.length
}

/* Lets go of everything that is older than a row: what came between is not known. */
export function cutBelow(row) {
  const over = rows.filter((one) => placeOf(one) < placeOf(row))
  rows = rows.filter((one) => !over.includes(one))
  letGo(over)
}

function letGo(over) {
  for (const row of over) {
    ids.delete(eventOf(row))
    row.remove()
  }
}

/* The service spells it in the same way (src/console/interactions/rows.ts). */
const groupOf = (row) => `${placeOf(row).slice(0, 16)}~${row.dataset.session}`
/* The title holds the exact time in the owner's zone: "2026-03-01 18:39:51 UTC". */
const dayOf = (row) => row.querySelector('time').title.slice(0, 10)

/* Brings the table up to the rows. What stands where it belongs is not touched, and keeps focus and place. */
export function arrange(table) {
  const focused = document.activeElement
  const bodies = new Map([...table.tBodies].map((body) => [body.dataset.group, body]))
  let at = table.tBodies[0] ?? null
  let day = rows[0] && dayOf(rows[0])
  for (const [key, own] of Map.groupBy(rows, groupOf)) {
    const body = bodies.get(key) ?? newBody(key)
    bodies.delete(key)
    if (body === at) at = at.nextElementSibling
    else table.insertBefore(body, at)
    fill(body, own)
    const begins = dayOf(own[0])
    sayDay(body, begins === day ? '' : begins)
    day = begins
  }
  for (const body of bodies.values()) body.remove()
  if (focused?.isConnected && focused !== document.activeElement)
    focused.focus({ preventScroll: true })
}

function newBody(key) {
  const body = document.createElement('tbody')
  body.dataset.group = key
  return body
}

function fill(body, own) {
  let at = body.querySelector('tr.row')
  for (const row of own) {
    if (row === at) at = at.nextElementSibling
    else body.insertBefore(row, at)
  }
}

function sayDay(body, day) {
  const line = body.querySelector('.feed-day')
  if (day === '') return line?.remove()
  if (line) return
  const fresh = document.createElement('tr')
  fresh.className = 'feed-day'
  const cell = document.createElement('td')
  cell.className = 'across'
  cell.colSpan = 99
  cell.textContent = new Date(`${day}T12:00:00Z`).toLocaleDateString('en-GB', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  })
  fresh.append(cell)
  body.prepend(fresh)
}
