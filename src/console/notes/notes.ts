/** A library with its reader. */
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { countWords } from '../../text/text.ts'
import { ById, Choice, linkQuery, PageNumber, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import {
  countNotes,
  findNote,
  findNoteNames,
  historyOf,
  latestNote,
  listNotes,
  NOTE_SORTS,
  pageHolding,
  RAIL_ROWS,
} from './queries.ts'

const List = Type.Object({
  q: Text(200),
  sort: Choice(NOTE_SORTS, { recency: 'recent', title: 'name', favorites: 'starred' }),
  page: PageNumber,
})
type List = Static<typeof List>

const CONCERNS = ['note.*', 'favorite.changed']

export const notes = defineScreen({
  section: 'notes',
  nav: { group: 'Knowledge', label: 'Notes', key: 'b' },
  item: { kind: 'note', fragments: ['peek', 'reader'], find: findNoteNames },
  search: { scope: 'notes', label: 'Notes', rank: 20 },

  async routes(app) {
    /** The library opens on the note touched last, whatever the sort. */
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const rail = await railOf(app, query)
      const { groups, count, q, sort } = rail
      return reply.page('library', {
        title: 'Notes',
        data: { groups, count, ...(q && { query: q }), sort },
        async around() {
          const latest = await latestNote(app.kernel.db, app.owner, query)
          const open = latest === undefined ? undefined : await readerOf(app, latest)
          return { rail, open: open ?? null, chosen: false }
        },
        live: { page: CONCERNS },
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
        live: { page: CONCERNS },
      })
    })
  },
})

async function railOf({ kernel: { db }, owner }: ScreenApp, query: List) {
  const [notes, counts] = await Promise.all([
    listNotes(db, owner, query),
    countNotes(db, owner, query),
  ])
  const count = [...counts.values()].reduce((sum, n) => sum + n, 0)
  const groups = [...Map.groupBy(notes, (note) => note.project)].map(([project, notes]) => ({
    project,
    count: counts.get(project) ?? notes.length,
    notes,
  }))
  const more = Math.max(0, count - query.page * RAIL_ROWS)
  return { groups, count, more, ...query, query: linkQuery(List, query), sorts: NOTE_SORTS }
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
    history: await historyOf(kernel.db, owner, id),
  }
}
