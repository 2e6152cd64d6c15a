/** A library with its reader. */
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { noteRead, noteWritten } from '../../notes/notes.ts'
import { wireProject } from '../../projects/projects.ts'
import { countWords } from '../../text/text.ts'
import { historyOf } from '../history.ts'
import { firstCommand } from '../first-run.ts'
import { narrowingOf } from '../narrowing.ts'
import { ById, Choice, linkQuery, PageNumber, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import {
  countNotes,
  findNote,
  findNoteNames,
  latestNote,
  listNotes,
  NOTE_SORTS,
  pageHolding,
  RAIL_ROWS,
} from './queries.ts'

const List = Type.Object({
  q: Text(200),
  project: Text(100),
  sort: Choice(NOTE_SORTS, { recency: 'recent', title: 'name', favorites: 'starred' }),
  page: PageNumber,
})
type List = Static<typeof List>

const ADDRESS = '/console/notes'
const LIVE = { page: ['note.*', 'favorite.changed', ...RENAMES] }

export const notes = defineScreen({
  section: 'notes',
  nav: { group: 'Knowledge', label: 'Notes', key: 'b' },
  item: { kind: 'note', fragments: ['peek', 'reader'], find: findNoteNames },
  search: { scope: 'notes', label: 'Notes', rank: 20 },

  async routes(app) {
    /** The library opens on the note touched last, whatever the sort. */
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const rail = await railOf(app, query)
      const { count, q, sort } = rail
      const groups = rail.groups.map(({ project, count, notes }) => ({ project, count, notes }))
      return reply.page('library', {
        title: 'Notes',
        data: { groups, count, ...(q && { query: q }), sort },
        only: { first_command: () => firstCommand(app.kernel, app.owner) },
        async around() {
          const latest = await latestNote(app.kernel.db, app.owner, query)
          const open = latest === undefined ? undefined : await readerOf(app, latest)
          return { rail, open: open ?? null, chosen: false }
        },
        live: LIVE,
      })
    })

    const schema = { params: ById, querystring: List }
    app.get('/:id', { schema }, async ({ params, query }, reply) => {
      const open = await readerOf(app, params.id)
      if (!open) throw app.unknown(params.id)
      return reply.page('library', {
        title: open.title,
        data: open,
        only: { open },
        async around() {
          const page = await pageHolding(app.kernel.db, app.owner, query, params.id)
          return { rail: await railOf(app, { ...query, page }), chosen: true }
        },
        live: LIVE,
      })
    })
  },
})

async function railOf({ kernel: { db }, owner }: ScreenApp, query: List) {
  const [notes, counts] = await Promise.all([
    listNotes(db, owner, query),
    countNotes(db, owner, query),
  ])
  const { count, options } = projectsOf(counts, query.project)
  const link = (project: string) => ADDRESS + linkQuery(List, { ...query, project })
  const groups = [...Map.groupBy(notes, (note) => note.project)].map(([project, notes]) => ({
    project,
    count: counts.get(project) ?? notes.length,
    all: link(wireProject(project)),
    notes,
  }))
  const more = Math.max(0, count - query.page * RAIL_ROWS)
  const { filter, menus, chips, clear } = narrowingOf({
    ...{ base: ADDRESS, schema: List, values: query },
    filter: { label: 'Filter notes', placeholder: 'Title, description or tag' },
    menus: [
      { name: 'project', label: 'Project', options },
      { name: 'sort', label: 'Sort', always: true, options: NOTE_SORTS.map(asOption) },
    ],
  })
  const narrowing = { filter, menus, chips, clear }
  return { groups, count, more, ...query, query: linkQuery(List, query), narrowing }
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

/** A note with what its reader shows around it; undefined when there is none with this id. */
async function readerOf({ kernel, owner }: ScreenApp, id: string) {
  const note = await findNote(kernel, owner, id)
  if (!note) return undefined
  const { path: file_path, problem, ...shown } = note
  const { data_dir, console: settings } = kernel.config
  const abs_path = join(data_dir, file_path)
  return {
    ...shown,
    body_available: problem === null,
    problem,
    words: countWords(note.body),
    file_path,
    abs_path,
    editor_url: settings.editor_url
      ? settings.editor_url.replaceAll('{path}', encodeURI(abs_path))
      : null,
    history: await historyOf(kernel.db, owner, id, [noteRead, noteWritten]),
  }
}
