/** The labs: the names that trials carry, each with what came of its trials. */
import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { defineScreen } from '../screen.ts'
import { TRIALS_LIVE } from '../trials/trials.ts'
import { List, listOf } from './list.ts'
import { labOf } from './one.ts'

const ByName = Type.Object({ name: name() })
/** A name may hold slashes, and be longer than a part of an address. */
const ByRest = Type.Object({ '*': name() })

export const labs = defineScreen({
  section: 'labs',
  nav: { group: 'Knowledge', label: 'Labs', key: 'a' },
  feature: 'research',
  item: { kind: 'lab', fragments: ['peek'] },

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const list = await listOf(app, query)
      const { labs, count, trials, more } = list
      return reply.page('list', {
        title: 'Labs',
        data: { labs, count, trials, ...(more > 0 && { more }) },
        only: { list },
        live: TRIALS_LIVE,
      })
    })

    const page = async (name: string) => {
      const found = await labOf(app, name)
      if (!found) throw app.unknown(name)
      const { data, drawn } = found
      return { title: name, data, only: { drawn }, live: TRIALS_LIVE }
    }
    app.get('/:name', { schema: { params: ByName } }, async ({ params }, reply) =>
      reply.page('page', await page(params.name)),
    )
    app.get('/*', { schema: { params: ByRest } }, async ({ params }, reply) =>
      reply.page('page', await page(params['*'])),
    )
  },
})
