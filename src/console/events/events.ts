import { notFound } from '../../kernel/refusal.ts'
import { isId } from '../../kernel/id.ts'
import { findEvent, findItems, sessionName } from './queries.ts'
import {
  interactionOf,
  isInteraction,
  requestOf,
  responseOf,
  severityOf,
  summaryOf,
} from '../frames.ts'
import type { ConsoleRoutes } from '../page.ts'

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

/** One event whole: what was asked and answered, who did it, and every field as it was recorded. */
export const eventsConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app

  app.get<{ Params: { id: string } }>('/events/:id', async ({ params }, reply) => {
    const id = params.id.toUpperCase()
    if (!isId(id)) throw notFound(`event ${params.id}`)
    await kernel.telemetry.flush()
    const event = await findEvent(kernel.db, id)
    if (!event) throw notFound(`event ${id}`)

    const { payload } = event
    const session = event.session_id ? await sessionName(kernel.db, event.session_id) : undefined
    const surfaced = Array.isArray(payload['item_ids']) ? payload['item_ids'].map(String) : []
    const { tx: _, payload: __, ...row } = event
    return reply.page(
      'events/event',
      summaryOf(event),
      {
        event: { ...row, summary: summaryOf(event) },
        trace: isInteraction(event) ? interactionOf(event, session) : null,
        prompt: requestOf(payload) ?? null,
        content: responseOf(payload) ?? null,
        items: await findItems(kernel.db, surfaced),
        fields: Object.entries(payload)
          .filter(([key]) => !SHOWN.has(key))
          .map(([key, value]) => ({
            key,
            value: typeof value === 'string' ? value : JSON.stringify(value),
          })),
        raw_json: JSON.stringify({ ...row, payload }, null, 2),
      },
      { severity: severityOf(event), session: session ?? null, item: await itemOf(event.item_id) },
    )
  })

  const itemOf = async (id: string | null) =>
    id === null ? null : (await findItems(kernel.db, [id]))[0]!
}
