/** How one project fares: its figures, how often it is told, what it knows, and what happened last. */
import { once } from '../../kernel/once.ts'
import { eventKinds } from '../../event-kinds.ts'
import { retrievalInjected } from '../../recall/recall.ts'
import { oneLine } from '../../text/text.ts'
import { barsOf, deltaOfShare, ofActive, percentOf } from '../figures.ts'
import { severityOf, summaryOf, untoldKinds } from '../live/events.ts'
import { boundsOf } from '../overview/queries.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { WINDOWS, type Window } from '../windows.ts'
import { projectFigure } from './figures.ts'
import { countKinds, findInjected, findKept, findLastEvents } from './queries.ts'
import type { Row } from './rows.ts'
import type { One, TabView } from './tabs.ts'

const LAST_EVENTS = 8
/** Being told something is no act of an agent; how often it happens is shown beside. */
const BESIDE = retrievalInjected.name
const SUMMARY_CHARACTERS = 200

export function overviewTab(app: ScreenApp, row: Row, { w }: One): TabView {
  const { kernel, owner } = app
  const { db } = kernel
  const { slug: project } = row
  const bounds = once(() => boundsOf(db, owner, w))
  const trend = once(async () => {
    const { since, zone, by_hour } = await bounds()
    return findInjected(db, owner, { project, since, zone, unit: by_hour ? 'hour' : 'day' })
  })
  const kept = once(async () => {
    const { since, before } = await bounds()
    const [found] = await findKept(db, owner, { project, since, before })
    return found!
  })
  return {
    data: {
      trend: async () => (await trend()).map(({ since, count }) => ({ since, count })),
      mem_by_kind: () => countKinds(db, owner, project),
      coverage: async () => {
        const { total, covered } = await kept()
        return { total, covered }
      },
      recent: () => lastEvents(app, project),
    },
    only: {
      figures: async () => figuresOf(row, await kept(), w),
      told: async () => drawn(await trend(), w),
    },
  }
}

function figuresOf(row: Row, kept: Awaited<ReturnType<typeof findKept>>[number], w: Window) {
  const place = { w, of: row.slug }
  const { total, covered, total_before, covered_before } = kept
  const rate = percentOf(covered, total)
  const before = w === 'all' ? null : percentOf(covered_before, total_before)
  const count = (n: number) => n.toLocaleString('en')
  return [
    projectFigure('memories', { value: row.active, ...inheritedOf(row) }, place),
    projectFigure(
      'sessions',
      { value: row.sessions, of: row.working === 0 ? 'none at work' : `${row.working} at work` },
      place,
    ),
    projectFigure(
      'tasks',
      { value: row.open_tasks, of: row.blocked === 0 ? 'none blocked' : `${row.blocked} blocked` },
      place,
    ),
    projectFigure(
      'reach',
      {
        value: percentOf(row.surfaced, row.active),
        of: ofActive(row.surfaced, row.active),
      },
      place,
    ),
    projectFigure(
      'continuity',
      {
        value: rate,
        of: total === 0 ? 'no session began' : `${count(covered)} of ${count(total)} sessions`,
        delta: deltaOfShare(rate, before),
      },
      place,
    ),
  ]
}

const inheritedOf = ({ inherited, parent_slug }: Row) =>
  inherited > 0 ? { of: `and ${inherited.toLocaleString('en')} of ${parent_slug}` } : {}

const HEIGHT = 64
const BAR = 10

/** As the page draws it: a bar for each hour or day. */
function drawn(trend: Awaited<ReturnType<typeof findInjected>>, w: Window) {
  const heights = barsOf(
    trend.map(({ count }) => count),
    undefined,
    HEIGHT,
  )
  const most = trend.reduce((best, each) => (each.count > best.count ? each : best), trend[0]!)
  return {
    height: HEIGHT,
    width: trend.length * BAR,
    bars: trend.map(({ label, count }, at) => ({
      ...{ label, count, x: at * BAR, y: HEIGHT - heights[at]! },
      height: heights[at]!,
    })),
    total: trend.reduce((sum, { count }) => sum + count, 0),
    first: trend[0]?.label ?? '',
    last: trend.at(-1)?.label ?? '',
    peak: most && most.count > 0 ? { label: most.label, count: most.count } : null,
    within: WINDOWS[w].within,
  }
}

async function lastEvents({ kernel, owner }: ScreenApp, project: string) {
  const untold = new Set(await untoldKinds(kernel))
  const kinds = [...eventKinds.values()]
    .filter(({ name, transport }) => !transport && name !== BESIDE && !untold.has(name))
    .map(({ name }) => name)
  const events = await findLastEvents(kernel.db, owner, { project, kinds, most: LAST_EVENTS })
  const ids = events.flatMap(({ session_id }) => session_id ?? [])
  const called = await calledSessions(kernel.db, owner, ids)
  return events.map((event) => ({
    ...{ id: event.id, ts: event.ts, kind: event.kind, session_id: event.session_id },
    session: called.get(event.session_id ?? '') ?? null,
    summary: oneLine(summaryOf(event), SUMMARY_CHARACTERS),
    tone: severityOf(event),
  }))
}
