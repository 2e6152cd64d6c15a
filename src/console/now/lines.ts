/** Events as lines of this page: what happened, and to what, as a link. */
import { argumentOf } from '../live/argument.ts'
import { severityOf, summaryOf } from '../live/events.ts'
import { findItems } from '../events/items.ts'
import { isId } from '../../kernel/id.ts'
import { oneLine } from '../../text/text.ts'
import type { ScreenApp } from '../screen.ts'
import type { EventRow } from './queries.ts'

const LINE_CHARACTERS = 200
const ABOUT_CHARACTERS = 80

/** What items are called, and where they are shown. */
export type Items = ReadonlyMap<string, { name: string; href: string | null }>

/** Looks up the items of these events, and those that calls name by their ids. What is gone is not among them. */
export async function itemsOf(app: ScreenApp, rows: readonly EventRow[]): Promise<Items> {
  const named = rows.map(({ payload }) => argumentOf(payload['args'], ABOUT_CHARACTERS))
  const ids = [...new Set([...rows.flatMap(({ item_id }) => item_id ?? []), ...named.filter(isId)])]
  const found = await findItems(app, ids)
  return new Map(
    found.flatMap(({ missing, id, name, href }) => (missing ? [] : [[id, { name, href }]])),
  )
}

/** A row of the wire or of what an agent produced. */
export function lineOf(event: EventRow, items: Items) {
  const item = items.get(event.item_id ?? '')
  const summary = oneLine(summaryOf(event), LINE_CHARACTERS)
  return {
    id: event.id,
    ts: event.ts,
    kind: event.kind,
    tone: severityOf(event),
    summary,
    ...(event.project && { project: event.project }),
    ...(event.item_id && { item_id: event.item_id }),
    // A line that says its name already does not say it twice.
    ...(item && !summary.includes(item.name) && { item: oneLine(item.name, LINE_CHARACTERS) }),
    ...(item?.href && { href: item.href }),
  }
}

/** What an agent did last, in a few words: the tool that it called and what for, or the act itself. */
export function actOf({ kind, payload }: EventRow, items: Items): string {
  const { tool, args, is_error: failed } = payload
  if (kind !== 'tool.call' || typeof tool !== 'string') {
    return oneLine(summaryOf({ kind, payload }), LINE_CHARACTERS)
  }
  const argument = argumentOf(args, ABOUT_CHARACTERS)
  const about = oneLine(items.get(argument)?.name ?? argument, ABOUT_CHARACTERS)
  return `${tool}${about && ` ${about}`}${failed === true ? ' failed' : ''}`
}
