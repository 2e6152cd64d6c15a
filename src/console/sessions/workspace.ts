/** One session whole: what it found, was shown and did. Each part is read when it is asked for. */
import { findFeatures } from '../../features/features.ts'
import { once } from '../../kernel/once.ts'
import { hasFindings } from '../../sessions/sessions.ts'
import { leftOf, spanOf } from '../durations.ts'
import { findItems } from '../events/items.ts'
import { percentOf } from '../figures.ts'
import { isInteraction, severityOf, summaryOf } from '../live/events.ts'
import { interactionOf } from '../live/rows.ts'
import type { ScreenApp } from '../screen.ts'
import { spansOf } from './band.ts'
import { sessionFigure } from './figures.ts'
import { listed } from './listed.ts'
import { figuresOf, NO_FIGURES } from './queries.ts'
import {
  bandOf,
  besideOf,
  claimsOf,
  contextOf,
  eventsOf,
  findSession,
  keptSince,
  kindsOf,
  memoriesOf,
  mishapsOf,
  notesOf,
  TIMELINE_ROWS,
  transportOf,
  trialsOf,
  type FoundSession,
} from './trace.ts'
import { parsePlace, tracePage, type Asked } from './trace-page.ts'

/** As many items as its page lists of what it was shown. */
const CONTEXT_ROWS = 40

/** Returns what JSON holds, and what its page shows; undefined when there is no session with this id. */
export async function workspaceOf(app: ScreenApp, id: string, asked: Asked) {
  const { kernel, owner } = app
  const { db, config } = kernel
  parsePlace(asked.from)
  const row = await findSession(db, owner, id, config.sessions.idle_minutes)
  if (!row) return undefined
  const figures = (await figuresOf(db, owner, [id])).get(id) ?? NO_FIGURES
  const session = aboutOf(row, figures)
  const kinds = once(() => kindsWhole(app, id))
  const counted = async (kind: string) => (await kinds()).find((one) => one.kind === kind)?.n ?? 0
  const events = once(() => eventsOf(db, owner, id, { towards: 'older', limit: TIMELINE_ROWS }))
  const data = {
    session,
    ...(session.harness && { harness: session.harness }),
    live: session.live,
    duration: session.duration,
    findings: hasFindings(row.findings) ? row.findings : '',
    timeline: async () => (await events()).map(lineOf),
    interactions: async () =>
      (await events()).filter(isInteraction).map((one) => interactionOf(one)),
    tool_calls: () => counted('tool.call'),
    memory_reads: () => counted('memory.read'),
    memory_writes: () => counted('memory.written'),
    injected_items: figures.shown,
    read_after_inject: figures.read,
    events_by_kind: kinds,
    claimed_tasks: async () => (await claimsOf(db, owner, id)).map(claimOf),
    memories_written: () => memoriesOf(db, owner, id),
    trials_recorded: () => trialsOf(db, owner, id),
    mishaps: () => mishapsOf(db, owner, id),
    calls_kept_since: () => sinceOf(app, row, figures.calls),
  }
  const now = row.status === 'active' ? new Date(row.created.getTime() + 1_000 * row.seconds) : null
  const only = {
    row,
    figures: async () =>
      figuresShown(session, figures, await counted('memory.read'), await counted('memory.written')),
    trace: () => tracePage(app, id, asked, now),
    band: async () => shownBand(await bandOf(db, owner, id)),
    context: () => contextShown(app, id),
    made: () => madeBy(app, id),
    json: `/console/sessions/${id}?format=json`,
    beside: () => besideOf(db, owner, row),
  }
  return { session, data, only }
}

type Figures = typeof NO_FIGURES

function aboutOf(row: FoundSession, figures: Figures) {
  const { findings: _, tokens_short: __, ...about } = listed(row, figures)
  return {
    ...about,
    model: row.model,
    duration: spanOf(row.seconds),
    created: row.created,
    cwd: row.cwd,
    external_client: row.external_client,
    client_session_id: row.client_session_id,
    lab: row.lab,
  }
}

/** Its events by kind; calls, prompts and misses by their counters, for the log drops them after a while. */
async function kindsWhole({ kernel: { db }, owner }: ScreenApp, id: string) {
  const [kinds, counters] = await Promise.all([kindsOf(db, owner, id), transportOf(db, owner, id)])
  const all = new Map(kinds.map(({ kind, n }) => [kind, n]))
  for (const [kind, n] of Object.entries(counters)) {
    if (n > 0) all.set(kind, Math.max(n, all.get(kind) ?? 0))
  }
  return [...all]
    .map(([kind, n]) => ({ kind, n }))
    .toSorted((a, b) => b.n - a.n || (a.kind < b.kind ? -1 : 1))
}

function sinceOf({ kernel, owner }: ScreenApp, row: FoundSession, calls: number) {
  const days = kernel.config.events.transport_retention_days
  return keptSince(kernel.db, owner, row, { days, calls })
}

const lineOf = (event: Awaited<ReturnType<typeof eventsOf>>[number]) => ({
  id: event.id,
  ts: event.ts,
  kind: event.kind,
  ...(event.project && { project: event.project }),
  ...(event.item_id && { item_id: event.item_id }),
  summary: summaryOf(event),
  tone: severityOf(event),
})

const claimOf = ({ id, title, plan, left }: Awaited<ReturnType<typeof claimsOf>>[number]) => ({
  id,
  title,
  ...(plan && { plan_slug: plan }),
  lease_left: leftOf(left),
})

function figuresShown(
  { id, tokens }: Pick<ReturnType<typeof aboutOf>, 'id' | 'tokens'>,
  { calls, failed, shown, read }: Figures,
  reads: number,
  writes: number,
) {
  const place = { of: id }
  const { total, output } = tokens
  return [
    sessionFigure('calls', { value: calls, ...(failed > 0 && { of: `${failed} failed` }) }, place),
    sessionFigure('shown', { value: shown }, place),
    sessionFigure('read', { value: percentOf(read, shown), of: `${read} of ${shown}` }, place),
    sessionFigure(
      'memories',
      { value: reads + writes, of: `${reads} read, ${writes} written` },
      place,
    ),
    sessionFigure(
      'tokens',
      {
        value: total === 0 ? null : total,
        ...(total > 0 && { of: `${output.toLocaleString('en')} out` }),
      },
      place,
    ),
  ]
}

const shownBand = (band: Awaited<ReturnType<typeof bandOf>>) =>
  band && { from: band.from, to: band.to, spans: spansOf(band.marks, band.parts) }

async function contextShown(app: ScreenApp, id: string) {
  const rows = await contextOf(app.kernel.db, app.owner, id, CONTEXT_ROWS)
  const items = await findItems(
    app,
    rows.map(({ item_id }) => item_id),
  )
  return rows.map(({ shown_at, read }, at) => ({ ...items[at]!, shown_at, read }))
}

/** What it wrote and what is still there. */
async function madeBy({ kernel, owner }: ScreenApp, id: string) {
  const { db } = kernel
  const { research } = await findFeatures(kernel)
  const [memories, notes, trials] = await Promise.all([
    memoriesOf(db, owner, id),
    notesOf(db, owner, id),
    research ? trialsOf(db, owner, id) : [],
  ])
  return [
    ...memories.map((one) => ({ ...one, kind: 'memory', word: one.kind, note: '' })),
    ...notes.map((one) => ({ ...one, kind: 'note', word: 'note', note: '' })),
    ...trials.map(({ id, title, outcome }) => ({
      ...{ id, name: title, kind: 'trial', word: 'trial', note: outcome },
    })),
  ]
}
