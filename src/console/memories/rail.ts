/** The rail of memories: by project and kind, with what narrows it. */
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { MEMORY_KINDS } from '../../memories/memories.ts'
import { wireProject } from '../../projects/projects.ts'
import { listAt, ownPlace, railPlace, type ListPlace } from '../list-place.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import {
  asksForEnded,
  countMemories,
  listInactive,
  listMemories,
  MEMORY_SORTS,
  MEMORY_STATUSES,
  RAIL_ROWS,
  type ListedMemory,
} from './queries.ts'
import type { Reader } from './reader.ts'

export const List = Type.Object({
  q: Text(200),
  project: Text(100),
  kind: Narrowing(MEMORY_KINDS),
  status: Narrowing(MEMORY_STATUSES),
  sort: Choice(MEMORY_SORTS, { recency: 'recent', title: 'name', favorites: 'starred' }),
  page: PageNumber,
})
export type List = Static<typeof List>
const OWN = ownPlace('/console/memories', List)

/** @param open what the reader beside it shows */
export async function railOf(
  { kernel, owner }: ScreenApp,
  query: List,
  { open, at = OWN }: { open?: Reader | undefined; at?: ListPlace } = {},
) {
  const { db } = kernel
  const [rows, ended, counts] = await Promise.all([
    listMemories(db, owner, query),
    listInactive(db, owner, query, open?.id),
    countMemories(db, owner, query),
  ])
  const row = rowOf(kernel.config.data_dir)
  const { options, active, inactive } = projectsOf(counts, query.project)
  const link = (project: string) => listAt(at, { ...query, project })
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
    ...{ base: at.base, schema: at.schema, beside: at.beside, values: query },
    filter: { label: 'Filter memories', placeholder: 'Name, description, kind or tag' },
    menus: [
      ...(at.held ? [] : [{ name: 'project', label: 'Project', options }]),
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
    /** Whether it holds nothing but what is believed no longer, page by page. */
    alone: asksForEnded(query),
    /** Where the rest of those is, when the rail holds but the first of them. */
    ended_all: MEMORY_STATUSES.filter((status) => status !== 'active').map((status) => ({
      status,
      href: listAt(at, { ...query, status }),
    })),
    more: Math.max(0, (asksForEnded(query) ? inactive : active) - query.page * RAIL_ROWS),
    ...query,
    /** As the addresses of its items say it, and as its own does. */
    query: linkQuery(List, query),
    place: railPlace(at, query),
    narrowing: { filter, menus, chips, clear },
    /** Whether the open one is among those that are believed no longer: their part of the rail is unfolded. */
    ended: (open !== undefined && open.status !== 'active') || asksForEnded(query),
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
    // Finer it would be another one each time that it is asked for.
    utility: utility === 0 ? null : Math.round(utility * 10_000) / 10_000,
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
