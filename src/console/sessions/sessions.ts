/** Every session, and what one of them did. */
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { WINDOWS } from '../windows.ts'
import { listed } from './listed.ts'
import { findSessionNames } from './queries.ts'
import { List, railOf } from './rail.ts'
import { workspaceOf } from './workspace.ts'

export const sessions = defineScreen({
  section: 'sessions',
  nav: { group: 'Work', label: 'Sessions', key: 's' },
  item: { kind: 'session', fragments: ['peek'], find: findSessionNames },
  search: { scope: 'sessions', label: 'Sessions', rank: 60 },

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const { rail, rows, counts } = await railOf(app, query)
      return reply.page('library', {
        title: 'Sessions',
        data: {
          filter: rail.status,
          ...(rail.q && { query: rail.q }),
          sort: rail.sort,
          active: counts.live + counts.idle,
          idle: counts.idle,
          completed: counts.completed,
          expired: counts.expired,
          total: rail.total,
          window: rail.window,
          window_label: WINDOWS[rail.window].label,
          ...(rail.retained && { retained: rail.retained }),
          ...(rail.more > 0 && { more: rail.more }),
          sessions: rows.map(listed),
        },
        only: { rail, open: null, chosen: false },
      })
    })

    const schema = { params: ById, querystring: List }
    app.get('/:id', { schema }, async ({ params, query }, reply) => {
      const workspace = await workspaceOf(app, params.id)
      if (!workspace) throw app.unknown(params.id)
      const { data, open } = workspace
      return reply.page('library', {
        title: open.called,
        data,
        only: { open },
        around: async () => ({ rail: (await railOf(app, query)).rail, chosen: true }),
      })
    })
  },
})
