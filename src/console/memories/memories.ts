/** What the fleet believes: a library with its reader. */
import Type from 'typebox'
import { besideRail } from '../beside-rail.ts'
import { firstCommand } from '../first-run.ts'
import { ById, Text } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { findMemoryNames, latestMemory, pageHolding } from './queries.ts'
import { List, railOf } from './rail.ts'
import { readerOf } from './reader.ts'
import { archiveMemory } from './writes.ts'

const One = Type.Object({ ...List.properties, session: Text(26) })

/** What is told to agents all the time changes no more than how often it was. */
const LIVE = { page: ['memory.*', 'favorite.changed', ...RENAMES, { every: 60 }] }

export const memories = defineScreen({
  section: 'memories',
  nav: { group: 'Knowledge', label: 'Memories', key: 'm' },
  item: { kind: 'memory', fragments: ['peek', 'reader'], find: findMemoryNames },
  search: { scope: 'memories', label: 'Memories', rank: 10 },
  writes: [archiveMemory],

  async routes(app) {
    /** The library opens on the newest memory among those that match, whatever the sort. */
    app.get('', { schema: { querystring: List } }, async (request, reply) => {
      const { query } = request
      const { rail, opened } = await besideRail(request, railOf(app, query), async () => {
        const latest = await latestMemory(app.kernel.db, app.owner, query)
        return latest === undefined ? undefined : readerOf(app, latest)
      })
      const { q, sort, count, inactive_count, inactive } = rail
      return reply.page('library', {
        title: 'Memories',
        data: {
          groups: rail.groups.map(({ project, count, kinds }) => ({ project, count, kinds })),
          inactive,
          active_count: count,
          inactive_count,
          ...(q && { query: q }),
          sort,
        },
        only: { first_command: () => firstCommand(app.kernel, app.owner) },
        async around() {
          return { rail, open: (await opened()) ?? null, chosen: false }
        },
        live: LIVE,
      })
    })

    const schema = { params: ById, querystring: One }
    app.get('/:id', { schema }, async ({ params, query: { session, ...query } }, reply) => {
      const open = await readerOf(app, params.id, session.toUpperCase())
      if (!open) throw app.unknown(params.id)
      return reply.page('library', {
        title: open.name,
        data: open,
        only: { open },
        async around() {
          const page = await pageHolding(app.kernel.db, app.owner, query, open.id)
          return { rail: await railOf(app, { ...query, page }, { open }), chosen: true }
        },
        live: LIVE,
      })
    })
  },
})
