/** Screens of nothing, for what a page shows only when something is wrong or switched off. */
import { defineScreen } from '../../../src/console/screen.ts'

export const madeUp = [
  defineScreen({
    section: 'off',
    feature: 'gamification',
    async routes(app) {
      app.get('', (_request, reply) => reply.page('page', { title: 'Off', data: {} }))
    },
  }),
  defineScreen({
    section: 'broken',
    async routes(app) {
      app.get('', () => {
        throw new Error('a bug')
      })
    },
  }),
]
