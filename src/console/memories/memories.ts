/** What the fleet believes: a library with its reader. */
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { MEMORY_KINDS } from '../../memories/memories.ts'
import { wireProject } from '../../projects/projects.ts'
import { firstCommand } from '../first-run.ts'
import { narrowingOf } from '../narrowing.ts'
import { ById, Choice, linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import {
  countMemories,
  findMemoryNames,
  latestMemory,
  listInactive,
  listMemories,
  MEMORY_SORTS,
  MEMORY_STATUSES,
  pageHolding,
  RAIL_ROWS,
  type ListedMemory,
} from './queries.ts'
import { readerOf, type Reader } from './reader.ts'
import { archiveMemory } from './writes.ts'

const List = Type.Object({
  q: Text(200),
  project: Text(100),
  kind: Narrowing(MEMORY_KINDS),
  status: Narrowing(MEMORY_STATUSES),
  sort: Choice(MEMORY_SORTS, { recency: 'recent', title: 'name', favorites: 'starred' }),
  page: PageNumber,
})
type List = Static<typeof List>
const One = Type.Object({ ...List.properties, session: Text(26) })

const ADDRESS = '/console/memories'
/** What is told to agents all the time changes no more than how often it was. */
const LIVE = { page: ['memory.*', 'favorite.changed', ...RENAMES, { every: 60 }] }

export const memories = defineScreen({
  section: 'memories',
  nav: { group: 'Knowledge', label: 'Memories', key: 'm' },
  item: { kind: 'memory', fragments: ['peek', 'reader'], find: findMemoryNames },
  search: { scope: 'memories', label: 'Memories', rank: 10 },
  writes: [archiveMemory],

  async routes(app) {
    /** The library opens on the memory changed last among those that match, whatever the sort. */
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const rail = await railOf(app, query)
      const { q, sort, count, inactive_count, inactive } = rail
      return reply.page('library', {
        title: 'Memories',
        data: {
          groups: rail.groups.map(({ project, count, kinds }) => ({ project, count, kinds })),
          inactive,
          active_count: count,
          inactive_count,
          ...(q && { query: q }),
          sort,
        },
        only: { first_command: () => firstCommand(app.kernel, app.owner) },
        async around() {
          const latest = await latestMemory(app.kernel.db, app.owner, query)
          const open = latest === undefined ? undefined : await readerOf(app, latest)
          return { rail, open: open ?? null, chosen: false }
        },
        live: LIVE,
      })
    })

    const schema = { params: ById, querystring: One }
    app.get('/:id', { schema }, async ({ params, query: { session, ...query } }, reply) => {
      const open = await readerOf(app, params.id, session.toUpperCase())
      if (!open) throw app.unknown(params.id)
      return reply.page('library', {
        title: open.name,
        data: open,
        only: { open },
        async around() {
          const page = await pageHolding(app.kernel.db, app.owner, query, open.id)
          return { rail: await railOf(app, { ...query, page }, open), chosen: true }
        },
        live: LIVE,
      })
    })
  },
})

async function railOf({ kernel, owner }: ScreenApp, query: List, open?: Reader) {
  const { db } = kernel
  const [rows, ended, counts] = await Promise.all([
    listMemories(db, owner, query),
    listInactive(db, owner, query, open?.id),
    countMemories(db, owner, query),
  ])
  const row = rowOf(kernel.config.data_dir)
  const { options, active, inactive } = projectsOf(counts, query.project)
  const link = (project: string) => ADDRESS + linkQuery(List, { ...query, project })
  const groups = [...Map.groupBy(rows, ({ project }) => project)]
    // What holds for every project goes first.
    .toSorted(([a], [b]) => Number(b === '') - Number(a === ''))
    .map(([project, memories]) => ({
      project,
      count: counts.find((each) => each.project === project)?.active ?? memories.length,
      shown: memories.length,
      all: link(wireProject(project)),
      kinds: kindsOf(memories.map(row)),
    }))
  const { filter, menus, chips, clear } = narrowingOf({
    ...{ base: ADDRESS, schema: List, values: query },
    filter: { label: 'Filter memories', placeholder: 'Name, description, kind or tag' },
    menus: [
      { name: 'project', label: 'Project', options },
      { name: 'kind', label: 'Kind', options: optionsOf(MEMORY_KINDS) },
      { name: 'status', label: 'Status', options: optionsOf(MEMORY_STATUSES) },
      {
        ...{ name: 'sort', label: 'Sort', always: true },
        options: MEMORY_SORTS.map(optionOf),
      },
    ],
  })
  return {
    groups,
    inactive: ended.map(row),
    count: active,
    inactive_count: inactive,
    more: Math.max(0, active - query.page * RAIL_ROWS),
    ...query,
    query: linkQuery(List, query),
    narrowing: { filter, menus, chips, clear },
    /** Whether the open one is among those that are believed no longer: their part of the rail is unfolded. */
    ended:
      (open !== undefined && open.status !== 'active') ||
      (query.status !== undefined && query.status !== 'active'),
  }
}

const optionOf = (value: string) => ({ value, label: value })
const optionsOf = (values: readonly string[]) => [
  { value: '', label: 'any' },
  ...values.map(optionOf),
]

/** In the order in which kinds are always named. */
const kindsOf = (memories: ReturnType<ReturnType<typeof rowOf>>[]) =>
  MEMORY_KINDS.map((kind) => ({
    kind,
    memories: memories.filter((memory) => memory.kind === kind),
  })).filter(({ memories }) => memories.length > 0)

const rowOf =
  (dir: string) =>
  ({ path, utility, favorite, ...memory }: ListedMemory) => ({
    ...memory,
    ...(favorite && { favorite }),
    utility: utility === 0 ? null : utility,
    file_path: path,
    abs_path: join(dir, path),
  })

/** What there is of each project, the largest first, and how much of it the rail holds. */
function projectsOf(counts: Awaited<ReturnType<typeof countMemories>>, chosen: string) {
  const sum = (of: 'active' | 'inactive', rows = counts) =>
    rows.reduce((total, row) => total + row[of], 0)
  const held = counts.filter(({ project }) => chosen === '' || wireProject(project) === chosen)
  const options = [
    { value: '', label: 'all', count: sum('active') },
    ...counts
      .toSorted((a, b) => b.active - a.active)
      .map(({ project, active }) => ({
        ...optionOf(wireProject(project)),
        count: active,
      })),
  ]
  return { options, active: sum('active', held), inactive: sum('inactive', held) }
}
