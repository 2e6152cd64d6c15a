/** By which ways items come before agents, as the page names and colours them. */
import { percentOf } from '../figures.ts'
import { stretchHref } from '../interactions/volume.ts'
import { stacksOf } from './charts.ts'
import type { SurfaceRow, WaysRow } from './queries.ts'

/** From the ground of a bar up. What is none of these is other context: of a plan, or behind a tool. */
const WAYS = [
  { tone: 'start', label: 'at a start', surfaces: ['session-start'] },
  { tone: 'subagent', label: 'to subagents', surfaces: ['subagent-start'] },
  { tone: 'prompt', label: 'with a prompt', surfaces: ['user-prompt-submit'] },
  { tone: 'search', label: 'by a search', surfaces: ['recall', 'recall-browse', 'recall-explain'] },
] as const
const OTHER = { tone: 'other', label: 'otherwise' } as const

const wayOf = (surface: string) =>
  WAYS.find(({ surfaces }) => (surfaces as readonly string[]).includes(surface)) ?? OTHER

/** How many items came by each way. */
function byWay(items: Record<string, number>) {
  const sums = new Map<string, number>()
  for (const [surface, n] of Object.entries(items)) {
    const { tone } = wayOf(surface)
    sums.set(tone, (sums.get(tone) ?? 0) + n)
  }
  return [...WAYS, OTHER].map(({ tone, label }) => ({ tone, label, n: sums.get(tone) ?? 0 }))
}

const itemsOf = (surfaces: readonly SurfaceRow[]): Record<string, number> =>
  Object.fromEntries(surfaces.map(({ surface, injections }) => [surface, injections]))

/** Bars that the chart holds; of more days several make one. */
const MOST_BARS = 120
const HOUR_MS = 60 * 60_000

/** The trend, and as bars. Its first hour or day is only as long as the window reaches into it. */
export function circulationOf(
  rows: readonly WaysRow[],
  surfaces: readonly SurfaceRow[],
  { since, by_hour }: { since: Date | null; by_hour: boolean },
) {
  const [first, ...rest] = rows
  const later = (surface: string) => rest.reduce((sum, { items }) => sum + (items[surface] ?? 0), 0)
  const clipped = Object.fromEntries(
    Object.entries(itemsOf(surfaces)).map(([surface, n]) => [
      surface,
      Math.max(0, n - later(surface)),
    ]),
  )
  const whole = first ? [{ ...first, since: since ?? first.since, items: clipped }, ...rest] : []
  const trend = whole.map(({ label, items }) => ({ label, count: sumOf(Object.values(items)) }))
  const bars = joined(whole)
  const longest = bars.size * (by_hour ? 1 : 26) * HOUR_MS
  return {
    trend,
    chart: stacksOf(
      bars.rows.map(({ label, begins, day, since, items }, at) => {
        const until = bars.rows[at + 1]?.since ?? new Date(since.getTime() + longest)
        return { label, begins, day, href: stretchHref(since, until), parts: byWay(items) }
      }),
    ),
    totals: byWay(itemsOf(surfaces)).filter(({ n }) => n > 0),
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0)

/** As few rows as the chart holds, and how many of the given ones are in each. */
function joined(rows: readonly WaysRow[]) {
  const size = Math.max(1, Math.ceil(rows.length / MOST_BARS))
  const starts = rows.filter((_, at) => at % size === 0)
  return {
    size,
    rows: starts.map(({ since, label, day }, nth) => {
      const begins = day === null ? label : `${day} ${label}`
      const part = rows.slice(nth * size, (nth + 1) * size)
      const names = new Set(part.flatMap(({ items }) => Object.keys(items)))
      const items = Object.fromEntries(
        [...names].map((name) => [name, sumOf(part.map(({ items }) => items[name] ?? 0))]),
      )
      const several = part.length > 1 ? ` – ${part.at(-1)!.label}` : ''
      return { since, begins: label, day, label: `${begins}${several}`, items }
    }),
  }
}

/** What shows memories without having been asked, in the order of the page. */
const PUSHED = [
  { surface: 'session-start', label: 'Start of a session' },
  { surface: 'subagent-start', label: 'Start of a subagent' },
]
/** A read or a find counts as a follow-up within so many hours. */
export const FOLLOW_HOURS = 24

export const pushedOf = (surfaces: readonly SurfaceRow[]) =>
  PUSHED.map(({ surface }) => {
    const {
      injections = 0,
      items = 0,
      pulled = 0,
    } = surfaces.find((row) => row.surface === surface) ?? {}
    return {
      ...{ surface, injections, items },
      ...{ items_read: pulled, read_rate: percentOf(pulled, items) },
    }
  })

/** As the page names them. */
export const funnelOf = (surfaces: readonly SurfaceRow[]) =>
  pushedOf(surfaces).map((row, at) => ({ ...row, label: PUSHED[at]!.label }))
