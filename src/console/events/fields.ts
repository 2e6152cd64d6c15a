/** The fields of an event that have no panel of their own, with links where they name something. */
import type { FeedEvent } from '../../kernel/feed.ts'
import { isId } from '../../kernel/id.ts'
import { wireProject } from '../../projects/projects.ts'
import type { ScreenApp } from '../screen.ts'
import { findItems } from './items.ts'

/** What has a panel of its own and is not repeated. */
const SHOWN = new Set([
  'args',
  'result',
  'prompt',
  'content',
  'findings',
  'item_ids',
  'item_scores',
])

export interface Field {
  key: string
  value: string
}

export const fieldsOf = (payload: FeedEvent['payload']): Field[] =>
  Object.entries(payload)
    .filter(([key]) => !SHOWN.has(key))
    .map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }))

/** Fields that hold the address of something rather than its id. */
const SLUGS: Readonly<Record<string, string>> = {
  plan: 'plan',
  plan_slug: 'plan',
  project: 'project',
}

/**
 * The same fields of an event; what is an id of something stands under its name, and leads there.
 *
 * @param project the event's, whose plan is meant where several projects have one of its slug; null without one
 */
export async function namedIn(app: ScreenApp, fields: readonly Field[], project: string | null) {
  const ids = fields.flatMap(({ value }) => (isId(value) ? value : []))
  const found = new Map((await findItems(app, ids)).map((item) => [item.id, item]))
  return fields.map(({ key, value }) => {
    const item = found.get(value)
    const kind = SLUGS[key]
    const page = kind && value !== '' ? app.links.to(kind, value) : null
    const isOfProject = page !== null && kind === 'plan' && project !== null
    const href = isOfProject ? `${page}?project=${encodeURIComponent(wireProject(project))}` : page
    return { key, value, name: item && !item.missing ? item.name : null, href: item?.href ?? href }
  })
}
