import { ownerSearch } from '../../recall/recall.ts'
import { choice, text, type ConsoleRoutes } from '../page.ts'
import { findProjects } from './queries.ts'

const SCOPES = ['all', 'notes', 'projects'] as const
const PER_GROUP = 20

/** One question over everything there is. The palette asks the same address, for JSON. */
export const searchConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app

  app.get('/search', async (request, reply) => {
    const q = text(request, 'q', 2_000)
    const scope = choice(request, 'scope', SCOPES)
    choice(request, 'fast', ['', '1'])
    const wants = (one: (typeof SCOPES)[number]) => q !== '' && (scope === 'all' || scope === one)
    const notes = wants('notes') ? await ownerSearch(kernel, q, ['note'], PER_GROUP) : []
    const projects = wants('projects') ? await findProjects(kernel.db, q, PER_GROUP) : []
    const groups = [
      {
        kind: 'note',
        label: 'Notes',
        hits: notes.map((hit) => ({ ...hit, href: `/console/notes/${hit.id}` })),
      },
      { kind: 'project', label: 'Projects', hits: projects },
    ].filter(({ hits }) => hits.length > 0)
    const count = groups.reduce((sum, { hits }) => sum + hits.length, 0)
    return reply.page(
      'search/results',
      q === '' ? 'Search' : `Search: ${q}`,
      { q, scope, groups, count },
      { scopes: SCOPES },
    )
  })
}
