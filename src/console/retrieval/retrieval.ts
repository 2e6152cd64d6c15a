/** How knowledge circulates: what reaches agents, by which ways, and what of it is of use. */
import Type from 'typebox'
import { PageNumber } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { WindowParameter } from '../windows.ts'
import { reportOf } from './report.ts'

/** `page` is of the table of projects. */
const Query = Type.Object({ w: WindowParameter, page: PageNumber })

const SHOWN = ['retrieval.injected', 'memory.*', { every: 300 }]

export const retrieval = defineScreen({
  section: 'retrieval',
  nav: { group: 'Tend', label: 'Retrieval', key: 'r' },
  windowed: true,

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async ({ query: { w, page } }, reply) => {
      const { data, only } = reportOf(app, w, page)
      return reply.page('page', {
        title: 'Retrieval',
        data,
        only,
        live: {
          parts: {
            hero: SHOWN,
            delivery: SHOWN,
            circulation: SHOWN,
            scopes: SHOWN,
            pressure: SHOWN,
            loop: [...SHOWN, 'hook.prompt', 'recall.miss'],
            funnel: SHOWN,
            vain: ['recall.miss', ...RENAMES, { every: 300 }],
            dead: SHOWN,
          },
        },
      })
    })
  },
})
