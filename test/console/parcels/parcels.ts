/** A screen of a noun that the product does not have: all that there is to declare. */
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { ById, Choice, Typed } from '../../../src/console/parameters.ts'
import { act, defineScreen } from '../../../src/console/screen.ts'
import { conflict } from '../../../src/kernel/refusal.ts'

const blue = { id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY', name: 'Blue parcel', description: 'Fragile' }
const PARCELS = [{ ...blue, project: 'atlas' }]
const badge = { tone: 'attention', asks: 'to send', count: async () => 42, concerns: [] } as const

const send = act({
  path: '/:id/send',
  form: Type.Object({ carrier: Typed({ minLength: 1 }) }),
  next: ({ id }) => `/console/parcels/${id}`,
  async run(_kernel, { id, carrier }) {
    if (carrier === 'pigeon') throw conflict('a pigeon carries no parcels')
    return { id, carrier }
  },
  notice: ({ carrier }) => `Sent by ${carrier}.`,
})

const List = Type.Object({ sort: Choice(['recent', 'weight']) })

export const parcels = defineScreen({
  section: 'parcels',
  views: fileURLToPath(new URL('views/', import.meta.url)),
  nav: { group: 'Tend', label: 'Parcels', key: 'z', badge },
  item: { kind: 'parcel', fragments: ['peek', 'reader'], find: async () => PARCELS },
  search: {
    scope: 'parcels',
    label: 'Parcels',
    find: async (_kernel, _owner, { query }) =>
      PARCELS.filter(({ name }) => name.includes(query)).map((one) => ({
        ...one,
        title: one.name,
        identifier: '',
      })),
  },
  writes: [send],
  async routes(app) {
    const around = async () => ({ parcels: PARCELS })
    app.get('', { schema: { querystring: List } }, ({ query: { sort } }, reply) =>
      reply.page('list', { title: 'Parcels', data: { sort, parcels: PARCELS } }),
    )
    app.get('/:id', { schema: { params: ById } }, ({ params: { id } }, reply) => {
      const open = PARCELS.find((each) => each.id === id)
      if (!open) throw app.unknown(id)
      return reply.page('list', { title: open.name, data: open, only: { open }, around })
    })
  },
})
