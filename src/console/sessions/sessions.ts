import type { FastifyRequest } from 'fastify'
import { isId } from '../../kernel/id.ts'
import { notFound } from '../../kernel/refusal.ts'
import { tells } from '../../sessions/sessions.ts'
import { interactionOf, isInteraction, severityOf, summaryOf } from '../frames.ts'
import { choice, cut, pageNumber, text, type ConsoleRoutes } from '../page.ts'
import {
  claimsOf,
  contextOf,
  countSessions,
  countStates,
  eventsOf,
  findShown,
  kindsOf,
  listSessions,
  memoriesOf,
  RAIL,
  WINDOWS,
  wantedOf,
  type Filter,
  type ListedSession,
  type Window,
} from './queries.ts'

const STATUSES = ['', 'active', 'idle', 'completed', 'expired'] as const
const SORTS = ['recent', 'name'] as const
const KEPT = ['', 'yes', 'no'] as const
const WINDOW_KEYS = Object.keys(WINDOWS) as Window[]
const SNIPPET = 120

const GROUPS = [
  { state: 'live', label: 'Live' },
  { state: 'idle', label: 'Idle' },
  { state: 'completed', label: 'Completed' },
  { state: 'expired', label: 'Expired' },
] as const

/** Every session, and what one of them did. */
export const sessionsConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app
  const { db, config } = kernel
  const { idle_minutes: idle } = config.sessions

  app.get('/sessions', async (request, reply) => {
    const filter = filterOf(request)
    const { rail, rows, counts } = await railOf(filter, pageNumber(request))
    const { more } = rail
    const data = {
      filter: filter.status,
      ...(filter.q && { query: filter.q }),
      sort: filter.sort,
      active: counts.live + counts.idle,
      idle: counts.idle,
      completed: counts.completed,
      expired: counts.expired,
      total: rail.total,
      window: filter.window,
      window_label: WINDOWS[filter.window].label,
      ...(filter.retained && { retained: filter.retained }),
      ...(more > 0 && { more }),
      sessions: rows.map(listed),
    }
    return reply.page('sessions/library', 'Sessions', data, { rail, open: null, chosen: false })
  })

  app.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    const { data, open } = await workspaceOf(request.params.id)
    const { rail } = await railOf(filterOf(request), pageNumber(request))
    return reply.page('sessions/library', open.name, data, { rail, open, chosen: true })
  })

  async function railOf(filter: Filter, page: number) {
    const [rows, counts, total] = await Promise.all([
      listSessions(db, filter, idle, page),
      countStates(db, filter, idle),
      countSessions(db),
    ])
    const count = wantedOf(counts, filter.status)
    const groups = GROUPS.map(({ state, label }) => ({
      state,
      label,
      count: counts[state],
      sessions: rows.filter((row) => row.state === state).map(listed),
    })).filter(({ sessions }) => sessions.length > 0)
    const rail = {
      groups,
      count,
      total,
      live: counts.live,
      idle: counts.idle,
      more: Math.max(0, count - page * RAIL),
      page,
      ...filter,
      narrowed: filter.q !== '' || filter.status !== '' || filter.retained !== '',
      window_label: WINDOWS[filter.window].label,
      query: queryOf(filter),
      statuses: STATUSES.map((each) => link(filter, { status: each }, each || 'all')),
      kept: KEPT.map((each) =>
        link(filter, { retained: each }, { '': 'any', yes: 'kept', no: 'nothing' }[each]),
      ),
      sorts: SORTS.map((each) => link(filter, { sort: each }, each)),
      windows: WINDOW_KEYS.map((each) => link(filter, { window: each }, each)),
    }
    return { rail, rows, counts }
  }

  async function workspaceOf(given: string) {
    const id = given.toUpperCase()
    if (!isId(id)) throw notFound(`session ${given}`)
    await kernel.telemetry.flush()
    const row = await findShown(db, id, idle)
    if (!row) throw notFound(`session ${id}`)
    const [events, kinds, context, claims, memories] = await Promise.all([
      eventsOf(db, id),
      kindsOf(db, id),
      contextOf(db, id),
      claimsOf(db, id),
      memoriesOf(db, id),
    ])
    const { findings: _, ...about } = listed(row)
    const session = {
      ...about,
      created: row.created,
      favorite: row.favorite,
      cwd: row.cwd,
      external_client: row.external_client,
      client_session_id: row.client_session_id,
      lab: row.lab,
    }
    const counted = (kind: string): number => kinds.find((each) => each.kind === kind)?.n ?? 0
    const timeline = events.map((event) => ({
      id: event.id,
      ts: event.ts,
      kind: event.kind,
      ...(event.project && { project: event.project }),
      ...(event.item_id && { item_id: event.item_id }),
      summary: summaryOf(event),
      tone: severityOf(event),
    }))
    const data = {
      session,
      ...(session.harness && { harness: session.harness }),
      live: session.live,
      duration: spanOf(row.seconds),
      findings: tells(row.findings) ? row.findings : '',
      timeline,
      interactions: events.filter(isInteraction).map((event) => interactionOf(event)),
      tool_calls: counted('tool.call'),
      memory_reads: counted('memory.read'),
      memory_writes: counted('memory.written'),
      injected_items: context.injected,
      read_after_inject: context.read,
      events_by_kind: kinds,
      claimed_tasks: claims.map(({ id, title, plan, left }) => ({
        id,
        title,
        ...(plan && { plan_slug: plan }),
        lease_left: leftOf(left),
      })),
      memories_written: memories,
      trials_recorded: [],
      mishaps: timeline
        .filter(({ kind }) => kind === 'agent.mishap')
        .map(({ id, ts, summary }) => ({ id, ts, text: summary.replace(/^mishap: /, '') })),
    }
    const read_share =
      context.injected === 0 ? null : Math.round((100 * context.read) / context.injected)
    return { data, open: { ...session, ...data, model: row.model, state: row.state, read_share } }
  }
}

function filterOf(request: FastifyRequest): Filter {
  return {
    status: choice(request, 'status', STATUSES),
    sort: choice(request, 'sort', SORTS, { recency: 'recent', title: 'name' }),
    q: text(request, 'q', 200),
    window: choice(request, 'w', WINDOW_KEYS),
    retained: choice(request, 'retained', KEPT),
  }
}

/** The filter as it stands in links, without what is the default. */
function queryOf({ status, sort, q, window, retained }: Filter): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(status && { status }),
    ...(retained && { retained }),
    ...(sort !== 'recent' && { sort }),
    ...(window !== '24h' && { w: window }),
  })
  return query.size > 0 ? `?${query.toString()}` : ''
}

/** A way to the same list with one thing changed. */
function link(filter: Filter, change: Partial<Filter>, label: string) {
  const [[key, value]] = Object.entries(change) as [[keyof Filter, string]]
  const href = `/console/sessions${queryOf({ ...filter, ...change })}`
  return { label, href, current: filter[key] === value }
}

const HARNESSES: Record<string, string> = { cc: 'claude-code', cx: 'codex' }

/** A session as a row has it. */
function listed(row: ListedSession) {
  const { id, name, project, status, source, ambient, model, updated, state } = row
  const harness = row.external_client || HARNESSES[/^(\w\w)\//.exec(name)?.[1] ?? ''] || ''
  const findings = tells(row.findings) ? row.findings.replaceAll(/\s+/g, ' ') : ''
  return {
    id,
    name,
    project,
    status,
    source,
    ambient,
    ...(harness && { harness }),
    ...(model && { model }),
    agent: agentOf(harness, model),
    live: state === 'live',
    findings: findings.length > SNIPPET ? `${cut(findings, SNIPPET - 1).trimEnd()}…` : findings,
    tokens: tokensOf(row),
    updated,
  }
}

/** A pill's worth: `cc opus-4-7`. '' when nothing is known of the agent. */
function agentOf(harness: string, model: string): string {
  const short = harness === 'claude-code' ? 'cc' : harness === 'codex' ? 'cx' : harness
  return [short, model.replace(/^claude-/, '').replace(/-20\d{6}$/, '')].filter(Boolean).join(' ')
}

function tokensOf(row: ListedSession) {
  const { input_tokens: input, cached_tokens: cached, output_tokens: output } = row
  const { cache_creation_tokens: cache_creation } = row
  const total = input + cached + cache_creation + output
  return { input, cached, cache_creation, output, total }
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `<1m`, `14m`, `2h 5m`, `3d 4h`. */
export function spanOf(seconds: number): string {
  if (seconds < MINUTE) return '<1m'
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`
  const [unit, large, small, part] =
    seconds < DAY ? [HOUR, 'h', 'm', MINUTE] : ([DAY, 'd', 'h', HOUR] as const)
  const rest = Math.floor((seconds % unit) / part)
  return `${Math.floor(seconds / unit)}${large}${rest > 0 ? ` ${rest}${small}` : ''}`
}

/** `22m left`, `1h left`, `expired`. */
export function leftOf(seconds: number): string {
  if (seconds <= 0) return 'expired'
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))}m left`
  return `${Math.floor(seconds / HOUR)}h left`
}
