import { ownerSearch, type Hit } from '../../recall/recall.ts'
import { choice, onlyKnown, text, type ConsoleRoutes } from '../page.ts'
import { findProjects } from './queries.ts'

const SCOPES = ['all', 'notes', 'projects'] as const
const MOST = 200
/** Shorter questions are not asked. */
const LEAST = 2

/** A row of a group, as JSON has it. */
export interface Row {
  kind: string
  id: string
  title: string
  /** The slug. */
  identifier: string
  /** Null stands for the global scope. */
  project: string | null
  age?: string
  description: string
  favorite?: true
  href: string
  /** Where the fragment is that shows it beside the list; left out when there is none. */
  peek?: string
}

/** One question over everything there is. The palette asks the same address, for JSON. */
export const searchConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app

  app.get('/search', async (request, reply) => {
    onlyKnown(request, ['q', 'scope', 'fast'])
    const query = text(request, 'q', MOST)
    const scope = choice(request, 'scope', SCOPES)
    const fast = choice(request, 'fast', ['', '1']) === '1'
    const limit = fast ? 5 : 20
    const wants = (one: (typeof SCOPES)[number]) =>
      query.length >= LEAST && (scope === 'all' || scope === one)
    const notes = wants('notes') ? await ownerSearch(kernel, query, ['note'], limit) : []
    const projects = wants('projects') ? await findProjects(kernel.db, query, limit) : []
    const groups = [
      { kind: 'note', label: 'Notes', count: notes.length, rows: notes.map(noteRow) },
      { kind: 'project', label: 'Projects', count: projects.length, rows: projects },
    ].filter(({ count }) => count > 0)
    const capped = groups.some(({ count }) => count === limit)
    const total = groups.reduce((sum, { count }) => sum + count, 0)
    return reply.page(
      'search/results',
      query === '' ? 'Search' : `Search: ${query}`,
      { query, scope, fast, total, groups },
      { scopes: SCOPES, idle: query.length < LEAST, capped },
    )
  })
}

function noteRow({ kind, id, name, title, project, age, description, favorite }: Hit): Row {
  const href = `/console/notes/${id}`
  return {
    kind,
    id,
    title,
    identifier: name,
    project: project ?? null,
    age,
    description,
    ...(favorite && { favorite }),
    href,
    peek: `${href}?peek=1`,
  }
}
