/** The list of sessions: one table, state by state, with what narrows it. */
import Type, { type Static } from 'typebox'
import { connectCommand } from '../first-run.ts'
import { listAt, ownPlace, queryAt, type ListPlace } from '../list-place.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS } from '../windows.ts'
import { dayInWords } from './calendar.ts'
import { listed } from './listed.ts'
import {
  countSessions,
  figuresOf,
  listSessions,
  projectsOf,
  RETENTIONS,
  rowsOf,
  SORTS,
  STATUSES,
  type State,
} from './queries.ts'
import { pageOf, wantedOf } from './pages.ts'

export const List = Type.Object({
  q: Text(200),
  status: Narrowing(STATUSES),
  project: Text(200),
  retained: Narrowing(RETENTIONS),
  sort: Choice(SORTS, { recency: 'recent', title: 'name' }),
  w: WindowParameter,
  /** 2026-03-31: those that began on it, whatever the window. Momentum has it; '' while that is off. */
  day: Text(40),
  page: PageNumber,
})
export type List = Static<typeof List>

const OWN = ownPlace('/console/sessions', List)

const GROUPS = [
  { state: 'live', label: 'Live', status: 'active' },
  { state: 'idle', label: 'Idle', status: 'idle' },
  { state: 'completed', label: 'Completed', status: 'completed' },
  { state: 'expired', label: 'Expired', status: 'expired' },
] as const

export async function listOf({ kernel, owner }: ScreenApp, query: List, at: ListPlace = OWN) {
  const { db, config } = kernel
  const { idle_minutes: idleMinutes } = config.sessions
  const [{ ids, counts }, total, projects] = await Promise.all([
    pageOf(db, owner, query, idleMinutes),
    countSessions(kernel, owner, at.held ? query.project : ''),
    at.held ? [] : projectsOf(db, owner),
  ])
  const [rows, figures] = await Promise.all([
    listSessions(db, owner, ids, idleMinutes),
    figuresOf(db, owner, ids),
  ])
  const sessions = rows.map((row) => listed(row, figures.get(row.id)))
  const count = wantedOf(counts, query.status)
  return {
    sessions,
    counts,
    total,
    count,
    more: Math.max(0, count - query.page * rowsOf(query)),
    groups: groupsOf(sessions, counts, query, at),
    narrowing: headOf(query, counts, projects, at),
    base: at.base,
    held: at.held,
    query: queryAt(at, query),
    page: query.page,
    narrowed: isNarrowed(query, at),
    window_label: query.day ? dayInWords(query.day) : WINDOWS[query.w].label,
    within: query.day ? `on ${dayInWords(query.day)}` : WINDOWS[query.w].within,
    q: query.q,
    /** Whether it asks for what was lost among all sessions of the list, and there is nothing. */
    nothing_lost: count === 0 && query.retained === 'no' && isOfAll(query, at),
    command: await connectCommand(kernel),
    anytime: listAt(at, { ...query, w: 'all', day: '' }),
  }
}

/** Whether nothing narrows it but the window and what sessions left: then what is not in it is nowhere. */
const isOfAll = ({ q, status, project }: List, { held }: ListPlace): boolean =>
  q === '' && status === undefined && (held || project === '')

/** By anything but the window, the order and the project that it is held to. */
const isNarrowed = ({ project, ...query }: List, { held }: ListPlace): boolean =>
  linkQuery(List, { ...query, project: held ? '' : project, w: '24h', sort: 'recent' }) !== ''

type Listed = ReturnType<typeof listed>

/** A group that is cut says so, and leads to all of itself. */
function groupsOf(
  sessions: readonly Listed[],
  counts: Record<State, number>,
  query: List,
  at: ListPlace,
) {
  return GROUPS.map(({ state, label, status }) => {
    const own = sessions.filter((session) => session.state === state)
    const isCut = own.length < counts[state]
    const all = listAt(at, { ...query, status })
    return {
      state,
      label,
      sessions: own,
      count: isCut
        ? `${own.length.toLocaleString('en')} of ${counts[state].toLocaleString('en')}`
        : counts[state].toLocaleString('en'),
      all: isCut && query.status !== status ? all : null,
      all_label: `all ${label.toLowerCase()}`,
    }
  }).filter(({ sessions }) => sessions.length > 0)
}

function headOf(
  query: List,
  counts: Record<State, number>,
  projects: readonly string[],
  at: ListPlace,
) {
  const { base, schema, beside, held } = at
  const any = { value: '', label: 'any' }
  const narrowing = narrowingOf({
    ...{ base, schema, beside },
    values: query,
    filter: { label: 'Filter sessions', placeholder: 'Words, handle, project or findings' },
    menus: [
      {
        name: 'status',
        label: 'Status',
        options: [
          any,
          { value: 'active', label: 'active', count: counts.live + counts.idle },
          { value: 'idle', label: 'idle', count: counts.idle },
          { value: 'completed', label: 'completed', count: counts.completed },
          { value: 'expired', label: 'expired', count: counts.expired },
        ],
      },
      ...(held
        ? []
        : [
            {
              ...{ name: 'project', label: 'Project' },
              options: [
                any,
                ...['global', ...projects].map((slug) => ({ value: slug, label: slug })),
              ],
            },
          ]),
      {
        name: 'retained',
        label: 'Left behind',
        options: [any, { value: 'yes', label: 'something' }, { value: 'no', label: 'nothing' }],
      },
      {
        name: 'sort',
        label: 'Sort',
        always: true,
        options: SORTS.map((value) => ({
          value,
          label: value === 'recent' ? 'last seen' : 'name',
        })),
      },
      {
        name: 'w',
        label: 'Window',
        always: true,
        options: WINDOW_KEYS.map((value) => ({ value, label: WINDOWS[value].label })),
      },
    ],
  })
  if (query.day === '') return narrowing
  // The day is the window.
  const chip = {
    label: `Day: ${dayInWords(query.day)}`,
    href: listAt(at, { ...query, day: '' }),
  }
  return {
    ...narrowing,
    menus: narrowing.menus.filter(({ name }) => name !== 'w'),
    chips: [chip, ...narrowing.chips],
  }
}
