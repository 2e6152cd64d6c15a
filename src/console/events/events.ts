/** One event whole: what was asked and answered, who did it, and every field as it was recorded. */
import { INTERACTION_KINDS } from '../interactions/queries.ts'
import {
  GLYPHS,
  isInteraction,
  requestOf,
  responseOf,
  severityOf,
  summaryOf,
} from '../live/events.ts'
import { findActors, interactionOf } from '../live/rows.ts'
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { findItems } from './items.ts'
import { fieldsOf, namedIn } from './fields.ts'
import { findEvent, findNeighbours, type Neighbour } from './queries.ts'

export const events = defineScreen({
  section: 'events',
  under: 'interactions',
  item: { kind: 'event', fragments: ['peek'] },

  async routes(app) {
    const { kernel, owner } = app

    app.get('/:id', { schema: { params: ById } }, async ({ params: { id } }, reply) => {
      const event = await findEvent(kernel.db, owner, id)
      if (!event) throw app.unknown(id)

      const { payload, tx: _, ...row } = event
      const { session_id } = event
      const actor = session_id
        ? (await findActors(kernel.db, [session_id])).get(session_id)
        : undefined
      const surfaced = Array.isArray(payload['item_ids']) ? payload['item_ids'].map(String) : []
      const about = event.item_id === null ? [] : [event.item_id]
      const found = await findItems(app, [...about, ...surfaced])
      const summary = summaryOf(event)
      const isOfFeed = isInteraction(event)
      const { previous, next } = await findNeighbours(kernel.db, owner, event)
      const fields = fieldsOf(payload)
      return reply.page('event', {
        title: summary,
        data: {
          event: { ...row, summary },
          trace: isOfFeed ? interactionOf(event, actor) : null,
          prompt: requestOf(payload) ?? null,
          content: responseOf(payload) ?? null,
          items: found.slice(about.length),
          fields,
          previous: previous && neighbourOf(previous),
          next: next && neighbourOf(next),
          raw_json: JSON.stringify({ ...row, payload }, null, 2),
        },
        only: {
          glyph: GLYPHS[severityOf(event)],
          session: actor ?? null,
          item: about.length === 0 ? null : found[0],
          named: () => namedIn(app, fields, event.project),
          back: INTERACTION_KINDS.includes(event.kind)
            ? { label: 'Feed', href: '/console/interactions' }
            : { label: 'Overview', href: '/console/' },
        },
      })
    })
  },
})

const neighbourOf = (event: Neighbour) => ({
  id: event.id,
  ts: event.ts,
  kind: event.kind,
  summary: summaryOf(event),
})
