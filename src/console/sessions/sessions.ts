/** Every session, and what one of them did. */
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { WINDOWS } from '../windows.ts'
import { List, listOf } from './list.ts'
import { findDeeds, findSessionNames } from './queries.ts'
import { Trace } from './trace-page.ts'
import { workspaceOf } from './workspace.ts'

export const sessions = defineScreen({
  section: 'sessions',
  nav: { group: 'Work', label: 'Sessions', key: 's' },
  windowed: true,
  item: { kind: 'session', fragments: ['peek'], find: findSessionNames },
  search: { scope: 'sessions', label: 'Sessions', rank: 60, details: findDeeds },
  surfaces: [
    {
      feature: 'research',
      label: 'Trials among what a session left',
      owns: ['trials_recorded'],
    },
  ],

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const list = await listOf(app, query)
      const { counts, more } = list
      const { q, status = '', retained, sort, w, project } = query
      return reply.page('list', {
        title: 'Sessions',
        data: {
          filter: status,
          ...(q && { query: q }),
          ...(project && { project }),
          sort,
          active: counts.live + counts.idle,
          idle: counts.idle,
          completed: counts.completed,
          expired: counts.expired,
          total: list.total,
          window: w,
          window_label: WINDOWS[w].label,
          ...(retained && { retained }),
          ...(more > 0 && { more }),
          sessions: list.sessions,
        },
        only: { list },
        live: { parts: { head: ['*', { every: 60 }], table: ['*', { every: 60 }] } },
      })
    })

    const schema = { params: ById, querystring: Trace }
    app.get('/:id', { schema }, async ({ params: { id }, query }, reply) => {
      const workspace = await workspaceOf(app, id, query)
      if (!workspace) throw app.unknown(id)
      const { session, data, only } = workspace
      const own = { kinds: ['*'], where: { session: id } }
      return reply.page('page', {
        title: session.called,
        data,
        only,
        live: {
          parts: {
            top: [own, { kinds: ['favorite.changed'], where: { item: id } }],
            facts: [own, { every: 60 }],
            outcome: [own],
            trace: [own, { every: 60 }],
            about: [own],
          },
        },
      })
    })
  },
})
