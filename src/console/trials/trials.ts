/** What was tried, and the outcome: every trial of every lab. */
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { List, listOf } from './list.ts'
import { trialOf } from './one.ts'
import { findTrialNames } from './queries.ts'

export const TRIALS_LIVE = {
  page: ['trial.recorded', 'favorite.changed', ...RENAMES, { every: 300 }],
}

export const trials = defineScreen({
  section: 'trials',
  nav: { group: 'Knowledge', label: 'Trials', key: 'y' },
  feature: 'research',
  item: { kind: 'trial', fragments: ['peek'], find: findTrialNames },
  search: { scope: 'trials', label: 'Trials', rank: 40 },

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const list = await listOf(app, query)
      const { count, lab, outcome, more } = list
      const groups = list.groups.map(({ lab, count, trials }) => ({ lab, count, trials }))
      return reply.page('list', {
        title: 'Trials',
        data: {
          ...{ groups, count },
          ...(lab && { lab }),
          ...(outcome && { outcome }),
          ...(more > 0 && { more }),
        },
        only: { list },
        live: TRIALS_LIVE,
      })
    })

    app.get('/:id', { schema: { params: ById } }, async ({ params }, reply) => {
      const trial = await trialOf(app, params.id)
      if (!trial) throw app.unknown(params.id)
      const { lab_href: _, ...data } = trial
      return reply.page('page', { title: trial.title, data, only: { trial }, live: TRIALS_LIVE })
    })
  },
})
