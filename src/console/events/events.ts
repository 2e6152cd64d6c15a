/** One event whole: what was asked and answered, who did it, and every field as it was recorded. */
import type { FeedEvent } from '../../kernel/feed.ts'
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
import { findEvent } from './queries.ts'

/** What has a panel of its own and is not repeated among the remaining fields. */
const SHOWN = new Set([
  'args',
  'result',
  'prompt',
  'content',
  'findings',
  'item_ids',
  'item_scores',
])

export const events = defineScreen({
  section: 'events',
  item: { kind: 'event', fragments: ['peek'] },

  async routes(app) {
    const { kernel, owner } = app

    app.get('/:id', { schema: { params: ById } }, async ({ params: { id } }, reply) => {
      await kernel.telemetry.flush()
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
      return reply.page('event', {
        title: summary,
        data: {
          event: { ...row, summary },
          trace: isInteraction(event) ? interactionOf(event, actor) : null,
          prompt: requestOf(payload) ?? null,
          content: responseOf(payload) ?? null,
          items: found.slice(about.length),
          fields: fieldsOf(payload),
          raw_json: JSON.stringify({ ...row, payload }, null, 2),
        },
        only: {
          glyph: GLYPHS[severityOf(event)],
          session: actor ?? null,
          item: about.length === 0 ? null : found[0],
        },
      })
    })
  },
})

const fieldsOf = (payload: FeedEvent['payload']): { key: string; value: string }[] =>
  Object.entries(payload)
    .filter(([key]) => !SHOWN.has(key))
    .map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }))
