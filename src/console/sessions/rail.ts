/** The list of sessions, state by state, with the links that narrow it. */
import Type, { type Static } from 'typebox'
import { Choice, linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS } from '../windows.ts'
import { listed } from './listed.ts'
import {
  countSessions,
  countStates,
  listSessions,
  RAIL_ROWS,
  RETENTIONS,
  SORTS,
  STATUSES,
  wantedOf,
} from './queries.ts'

export const List = Type.Object({
  q: Text(200),
  status: Narrowing(STATUSES),
  retained: Narrowing(RETENTIONS),
  sort: Choice(SORTS, { recency: 'recent', title: 'name' }),
  w: WindowParameter,
  page: PageNumber,
})
export type List = Static<typeof List>

const GROUPS = [
  { state: 'live', label: 'Live' },
  { state: 'idle', label: 'Idle' },
  { state: 'completed', label: 'Completed' },
  { state: 'expired', label: 'Expired' },
] as const

const RETENTION_LABELS = { '': 'any', yes: 'kept', no: 'nothing' } as const

export async function railOf({ kernel, owner }: ScreenApp, query: List) {
  const { db, config } = kernel
  const { idle_minutes: idleMinutes } = config.sessions
  const [rows, counts, total] = await Promise.all([
    listSessions(db, owner, query, idleMinutes),
    countStates(db, owner, query, idleMinutes),
    countSessions(kernel, owner),
  ])
  const { q, status = '', retained = '', sort, w: window, page } = query
  const count = wantedOf(counts, query.status)
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
    more: Math.max(0, count - page * RAIL_ROWS),
    page,
    q,
    status,
    retained,
    sort,
    window,
    narrowed: q !== '' || status !== '' || retained !== '',
    window_label: WINDOWS[window].label,
    query: linkQuery(List, query),
    ...choices(query),
  }
  return { rail, rows, counts }
}

/** Links to the same list with one thing changed. */
function choices(query: List) {
  const link = (change: Partial<Record<keyof List, string>>, label: string) => {
    const [[name, value]] = Object.entries(change) as [[keyof List, string]]
    const href = `/console/sessions${linkQuery(List, { ...query, ...change } as List)}`
    return { label, href, current: (query[name] ?? '') === value }
  }
  return {
    statuses: (['', ...STATUSES] as const).map((status) => link({ status }, status || 'all')),
    kept: (['', ...RETENTIONS] as const).map((retained) =>
      link({ retained }, RETENTION_LABELS[retained]),
    ),
    sorts: SORTS.map((sort) => link({ sort }, sort)),
    windows: WINDOW_KEYS.map((w) => link({ w }, w)),
  }
}
