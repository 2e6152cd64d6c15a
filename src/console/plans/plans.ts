/** What agents intend: each plan with its text, its steps and how far it is. */
import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { once } from '../../kernel/once.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { windowHolding, WINDOWS } from '../windows.ts'
import { List, listOf, One } from './list.ts'
import { planOf } from './one.ts'
import { searchPlans, shippedThisMonth } from './queries.ts'
import { approve } from './writes.ts'

const LIVE = {
  page: ['plan.*', 'task.*', 'note.*', 'subagent.*', 'favorite.changed', ...RENAMES, { every: 60 }],
}
const BySlug = Type.Object({ slug: name({}) })

export const plans = defineScreen({
  section: 'plans',
  nav: { group: 'Work', label: 'Plans', key: 'l' },
  windowed: true,
  item: { kind: 'plan', fragments: ['peek', 'reader'] },
  search: { scope: 'plans', label: 'Plans', rank: 35, find: searchPlans },
  surfaces: [
    {
      feature: 'momentum',
      label: 'Plans that were shipped, and how many of them this month',
      owns: ['shipped_this_month', 'shipped', 'rows[].shipped', 'plan.shipped'],
    },
  ],
  writes: [approve],

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const rail = await listOf(app, query)
      const shipped = once(() => shippedThisMonth(app.kernel, app.owner))
      const { rows, counts, count, total } = rail
      return reply.page('library', {
        title: 'Plans',
        data: {
          ...{ rows, count, total, ...counts },
          ...{ window: query.w, window_label: WINDOWS[query.w].label },
          shipped_this_month: async () => ({ count: await shipped() }),
        },
        only: { shipped },
        async around() {
          const [first] = rail.groups.flatMap(({ plans }) => plans)
          const open = first && (await planOf(app, first.slug, first.project || 'global'))
          return { rail, open: open ?? null, chosen: false }
        },
        live: LIVE,
      })
    })

    const schema = { params: BySlug, querystring: One }
    app.get('/:slug', { schema }, async ({ params: { slug }, query }, reply) => {
      const open = await planOf(app, slug, query.project)
      if (!open) throw app.unknown(slug)
      return reply.page('library', {
        title: open.shown.plan.title,
        data: open.shown,
        only: { open },
        async around() {
          const { plan } = open.shown
          const w = windowHolding(query.w, plan.updated, app.clock.now())
          const asked = { ...query, project: query.within, w }
          return { rail: await listOf(app, asked, plan), chosen: true }
        },
        live: LIVE,
      })
    })
  },
})
