/** The rail of notes, by project, with what narrows it. */
import Type, { type Static } from 'typebox'
import { wireProject } from '../../projects/projects.ts'
import { listAt, ownPlace, railPlace, type ListPlace } from '../list-place.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { countNotes, listNotes, NOTE_SORTS, RAIL_ROWS } from './queries.ts'

export const List = Type.Object({
  q: Text(200),
  project: Text(100),
  sort: Choice(NOTE_SORTS, { recency: 'recent', title: 'name', favorites: 'starred' }),
  page: PageNumber,
})
export type List = Static<typeof List>

const OWN = ownPlace('/console/notes', List)

export async function railOf(
  { kernel: { db }, owner }: ScreenApp,
  query: List,
  at: ListPlace = OWN,
) {
  const [notes, counts] = await Promise.all([
    listNotes(db, owner, query),
    countNotes(db, owner, query),
  ])
  const { count, options } = projectsOf(counts, query.project)
  const link = (project: string) => listAt(at, { ...query, project })
  const groups = [...Map.groupBy(notes, (note) => note.project)].map(([project, notes]) => ({
    project,
    count: counts.get(project) ?? notes.length,
    all: link(wireProject(project)),
    notes,
  }))
  const more = Math.max(0, count - query.page * RAIL_ROWS)
  const { filter, menus, chips, clear } = narrowingOf({
    ...{ base: at.base, schema: at.schema, beside: at.beside, values: query },
    filter: { label: 'Filter notes', placeholder: 'Title, description or tag' },
    menus: [
      ...(at.held ? [] : [{ name: 'project', label: 'Project', options }]),
      { name: 'sort', label: 'Sort', always: true, options: NOTE_SORTS.map(asOption) },
    ],
  })
  const narrowing = { filter, menus, chips, clear }
  return {
    ...{ groups, count, more, narrowing },
    ...query,
    /** As the addresses of its items say it, and as its own does. */
    query: linkQuery(List, query),
    place: railPlace(at, query),
  }
}

const asOption = (value: string) => ({ value, label: value })

/** What there is of each project, the largest first, and how much of it the rail holds. */
function projectsOf(counts: ReadonlyMap<string, number>, chosen: string) {
  const all = [...counts].toSorted(([, a], [, b]) => b - a)
  const total = all.reduce((sum, [, n]) => sum + n, 0)
  const options = [
    { value: '', label: 'all', count: total },
    ...all.map(([slug, count]) => ({ ...asOption(wireProject(slug)), count })),
  ]
  const count = options.find(({ value }) => value === chosen)?.count ?? 0
  return { count, options }
}
