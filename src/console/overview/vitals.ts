/** How knowledge fares in a window: the four vitals, their trends, and what sessions left behind. */
import type { Db } from '../../kernel/kernel.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import { barsOf, deltaOfShare, deltaOfVolume, ofActive, percentOf } from '../figures.ts'
import { keptAnswers } from '../kept-answers.ts'
import type { Window } from '../windows.ts'
import { figure } from './figures.ts'
import {
  boundsOf,
  findCoverage,
  findMostInjected,
  findReach,
  findShown,
  findTrend,
  type CoverageRow,
  type Injected,
  type ReachRow,
  type ShownRow,
  type TrendRow,
} from './queries.ts'

const MOST_INJECTED = 5
/** A memory that no agent was shown for so long goes stale. */
export const STALE_DAYS = 45

export interface Vitals {
  shown: ShownRow
  reach: ReachRow[]
  trend: TrendRow[]
  coverage: CoverageRow[]
  top: Injected[]
}

export async function vitalsOf(db: Db, owner: OwnerScope, w: Window): Promise<Vitals> {
  const answers = keptAnswers(db)
  const bounds = await answers('bounds', { w }, () => boundsOf(db, owner, w))
  const { since, before, zone } = bounds
  const unit = bounds.by_hour ? 'hour' : 'day'
  const [[shown], reach, trend, coverage, top] = await Promise.all([
    answers('shown', { w }, () => findShown(db, owner, bounds)),
    answers('reach', { w }, () =>
      findReach(db, owner, { ...bounds, stale: STALE_DAYS, project: null }),
    ),
    answers('trend', { w }, () => findTrend(db, owner, { unit, zone, since })),
    answers('coverage', { w }, () => findCoverage(db, owner, { unit, zone, since, before })),
    answers('most injected', { w }, () =>
      findMostInjected(db, owner, { since, zone, most: MOST_INJECTED }),
    ),
  ])
  return { shown: shown!, reach, trend: clipped(trend, shown!), coverage, top }
}

/** The first hour or day is only as long as the window reaches into it, so that the trend sums up to the whole. */
function clipped(trend: TrendRow[], { injections }: ShownRow): TrendRow[] {
  const [first, ...rest] = trend
  if (!first) return []
  const others = rest.reduce((sum, row) => sum + row.injections, 0)
  return [{ ...first, injections: Math.max(0, injections - others) }, ...rest]
}

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0)

/** What of the sessions of the window is left, by channel; channels overlap. */
function coverageOf({ coverage, trend }: Vitals, research: boolean) {
  const within = coverage.filter(({ since }) => since !== null)
  const before = coverage.filter(({ since }) => since === null)
  const total = sumOf(within, (row) => row.total)
  const covered = sumOf(within, (row) => row.covered)
  const channels = ['findings', 'memories', 'notes', ...(research ? (['trials'] as const) : [])]
  const buckets = new Map(within.map((row) => [row.since!.getTime(), row]))
  return {
    total,
    covered,
    share: percentOf(covered, total),
    share_before: percentOf(
      sumOf(before, (row) => row.covered),
      sumOf(before, (row) => row.total),
    ),
    rows: channels.map((label) => {
      const count = sumOf(within, (row) => row[label as 'findings'])
      return { label, count, pct: percentOf(count, total) }
    }),
    trend: trend.map(({ label, since }) => {
      const { total = 0, covered = 0 } = buckets.get(since.getTime()) ?? {}
      return { label, total, covered }
    }),
  }
}

/** The figures, the most telling first. */
export function vitalFigures(vitals: Vitals, w: Window, research: boolean) {
  const { shown, reach, trend } = vitals
  const coverage = coverageOf(vitals, research)
  const active = sumOf(reach, (row) => row.active)
  const surfaced = sumOf(reach, (row) => row.surfaced)
  const rate = percentOf(surfaced, active)
  const hasPrior = w !== 'all'
  const rateBefore = hasPrior
    ? percentOf(
        sumOf(reach, (row) => row.surfaced_before),
        active,
      )
    : null
  const place = { w }
  const bars = (of: (row: TrendRow) => number) => barsOf(trend.map(of))
  const figures = [
    figure(
      'reach',
      {
        value: rate,
        of: ofActive(surfaced, active),
        delta: deltaOfShare(rate, rateBefore),
        bars: bars(({ memories }) => memories),
      },
      place,
    ),
    figure(
      'continuity',
      {
        value: coverage.share,
        of:
          coverage.total === 0
            ? 'no session began'
            : `${count(coverage.covered)} of ${count(coverage.total)} sessions`,
        delta: deltaOfShare(coverage.share, hasPrior ? coverage.share_before : null),
        bars: barsOf(
          coverage.trend.map(({ total, covered }) => percentOf(covered, total) ?? 0),
          100,
        ),
      },
      place,
    ),
    figure(
      'injections',
      {
        value: shown.injections,
        of: `about ${count(shown.tokens)} tokens`,
        delta: deltaOfVolume(shown.injections, hasPrior ? shown.injections_before : null),
        bars: bars(({ injections }) => injections),
      },
      place,
    ),
    figure(
      'reached',
      {
        value: shown.sessions,
        delta: deltaOfVolume(shown.sessions, hasPrior ? shown.sessions_before : null),
        bars: bars(({ sessions }) => sessions),
      },
      place,
    ),
  ]
  return { figures, coverage, active, surfaced, rate, stale: sumOf(reach, (row) => row.stale) }
}

const count = (n: number): string => n.toLocaleString('en')
