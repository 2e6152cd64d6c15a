/** What knowledge belongs to: the board of projects, and one of them whole. */
import { defineScreen } from '../screen.ts'
import { WINDOWS } from '../windows.ts'
import { boardOf, List } from './board.ts'
import { projectOf } from './one.ts'
import { searchProjects } from './queries.ts'
import { BySlug, One } from './tabs.ts'

const LIVE = [
  'session.*',
  'task.*',
  'memory.*',
  'note.*',
  'retrieval.injected',
  'gardener.action',
  'favorite.changed',
  'project.stage_reached',
]

export const projects = defineScreen({
  section: 'projects',
  nav: { group: 'Work', label: 'Projects', key: 'p' },
  windowed: true,
  item: { kind: 'project', fragments: ['peek'] },
  surfaces: [
    {
      feature: 'momentum',
      label: 'Plans that were shipped, among the plans of a project that are over',
      owns: ['completed[].shipped'],
    },
    {
      feature: 'momentum',
      label: 'The stage to which a project has grown',
      owns: ['groups[].rows[].stage', 'flat[].stage', 'stage'],
    },
  ],
  search: { scope: 'projects', label: 'Projects', rank: 50, find: searchProjects },

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const board = await boardOf(app, query)
      const { bands, sums, live_scopes, attention, unregistered, retired } = board
      return reply.page('board', {
        title: 'Projects',
        data: {
          ...{ group: query.group, sort: query.sort, query: query.q },
          ...{ window: query.w, window_label: WINDOWS[query.w].label },
          ...{ projects: board.projects, families: board.families },
          ...{ ...sums, live_scopes, attention, unregistered, retired },
          ...(query.group === 'flat' ? { flat: bands[0]?.rows ?? [] } : { groups: bands }),
          ...(board.more > 0 && { more: board.more }),
        },
        only: { board },
        live: { page: [...LIVE, { every: 60 }] },
      })
    })

    const schema = { params: BySlug, querystring: One }
    app.get('/:slug', { schema }, async ({ params: { slug }, query }, reply) => {
      const one = await projectOf(app, slug, query)
      if (!one) throw app.unknown(slug)
      const kinds = query.tab === 'interactions' ? ['*'] : ['acts']
      return reply.page(query.tab, {
        title: one.row.name,
        data: one.data,
        only: one.only,
        live: { page: [{ kinds, where: { project: slug } }, { every: 60 }] },
      })
    })
  },
})
