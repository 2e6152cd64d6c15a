/** A library with its reader. */
import { besideRail } from '../beside-rail.ts'
import { firstCommand } from '../first-run.ts'
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { findNoteNames, latestNote, pageHolding } from './queries.ts'
import { List, railOf } from './rail.ts'
import { readerOf } from './reader.ts'

const LIVE = { page: ['note.*', 'favorite.changed', ...RENAMES] }

export const notes = defineScreen({
  section: 'notes',
  nav: { group: 'Knowledge', label: 'Notes', key: 'b' },
  item: { kind: 'note', fragments: ['peek', 'reader'], find: findNoteNames },
  search: { scope: 'notes', label: 'Notes', rank: 20 },

  async routes(app) {
    /** The library opens on the note touched last, whatever the sort. */
    app.get('', { schema: { querystring: List } }, async (request, reply) => {
      const { query } = request
      const { rail, opened } = await besideRail(request, railOf(app, query), async () => {
        const latest = await latestNote(app.kernel.db, app.owner, query)
        return latest === undefined ? undefined : readerOf(app, latest)
      })
      const { count, q, sort } = rail
      const groups = rail.groups.map(({ project, count, notes }) => ({ project, count, notes }))
      return reply.page('library', {
        title: 'Notes',
        data: { groups, count, ...(q && { query: q }), sort },
        only: { first_command: () => firstCommand(app.kernel, app.owner) },
        async around() {
          return { rail, open: (await opened()) ?? null, chosen: false }
        },
        live: LIVE,
      })
    })

    const schema = { params: ById, querystring: List }
    app.get('/:id', { schema }, async ({ params, query }, reply) => {
      const open = await readerOf(app, params.id)
      if (!open) throw app.unknown(params.id)
      return reply.page('library', {
        title: open.title,
        data: open,
        only: { open },
        async around() {
          const page = await pageHolding(app.kernel.db, app.owner, query, params.id)
          return { rail: await railOf(app, { ...query, page }), chosen: true }
        },
        live: LIVE,
      })
    })
  },
})
