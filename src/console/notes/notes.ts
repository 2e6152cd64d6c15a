import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { choice, pageNumber, text, type ConsoleRoutes } from '../page.ts'
import {
  countNotes,
  getNote,
  historyOf,
  latestNote,
  listNotes,
  NOTE_SORTS,
  RAIL,
  type NoteFilter,
} from './queries.ts'

/** The words by which sorts are known elsewhere. */
const SYNONYMS = { recency: 'recent', title: 'name', favorites: 'starred' } as const

/** A library with its reader. */
export const notesConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app
  const { db, config } = kernel

  /** The library opens on the note touched last, whatever the sort. */
  app.get('/notes', async (request, reply) => {
    const filter = filterOf(request)
    const rail = await railOf(filter, pageNumber(request))
    const latest = await latestNote(db, filter)
    const open = latest === undefined ? null : await readerOf(latest)
    const { groups, count, q, sort } = rail
    const data = { groups, count, ...(q && { query: q }), sort }
    return reply.page('notes/library', 'Notes', data, { rail, open, chosen: false })
  })

  app.get<{ Params: { id: string } }>('/notes/:id', async (request, reply) => {
    const open = await readerOf(request.params.id)
    const rail = await railOf(filterOf(request), pageNumber(request))
    return reply.page('notes/library', open.title, open, { rail, open, chosen: true })
  })

  async function railOf(filter: NoteFilter, page: number) {
    const [notes, counts] = await Promise.all([listNotes(db, filter, page), countNotes(db, filter)])
    const count = [...counts.values()].reduce((sum, n) => sum + n, 0)
    const groups = [...Map.groupBy(notes, (note) => note.project)].map(([project, notes]) => ({
      project,
      count: counts.get(project) ?? notes.length,
      notes,
    }))
    const more = Math.max(0, count - page * RAIL)
    return { groups, count, more, page, ...filter, query: queryOf(filter), sorts: NOTE_SORTS }
  }

  async function readerOf(id: string) {
    const note = await getNote(kernel, id)
    const { path: file_path, problem, ...shown } = note
    const abs_path = join(config.data_dir, file_path)
    const editor = config.console.editor_url
    return {
      ...shown,
      body_available: problem === null,
      problem,
      words: note.body.split(/\s+/).filter(Boolean).length,
      file_path,
      abs_path,
      editor_url: editor ? editor.replaceAll('{path}', encodeURI(abs_path)) : null,
      history: await historyOf(db, note.id),
    }
  }
}

function filterOf(request: FastifyRequest): NoteFilter {
  return { q: text(request, 'q', 200), sort: choice(request, 'sort', NOTE_SORTS, SYNONYMS) }
}

/** The filter as it stands in links, without what is the default. */
function queryOf({ q, sort }: NoteFilter): string {
  const query = new URLSearchParams({ ...(q && { q }), ...(sort !== 'recent' && { sort }) })
  return query.size > 0 ? `?${query.toString()}` : ''
}
