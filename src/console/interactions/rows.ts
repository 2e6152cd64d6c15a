/** Rows of the feed: what agents did, by session and minute. */
import type { FeedEvent } from '../../kernel/feed.ts'
import { findItems, type EventItem } from '../events/items.ts'
import { isInteraction } from '../live/events.ts'
import { findActors, interactionOf } from '../live/rows.ts'
import type { ScreenApp } from '../screen.ts'
import type { CalledSession } from '../sessions/called.ts'
import { ACT_KINDS, findActs } from '../sessions/acts.ts'
import { agentOf } from '../sessions/listed.ts'
import { saidOnce, type AboutStep } from '../sessions/said-once.ts'
import { stepsOf, type Step } from '../sessions/steps.ts'
import { INTERACTION_KINDS } from './queries.ts'

/** By what the owner narrows the feed. Those that failed are a choice of their own, of whatever kind. */
export const CATEGORIES = {
  tool: 'Tools',
  inject: 'Injections',
  prompt: 'Prompts and misses',
  session: 'Sessions',
  plan: 'Plans',
} as const
export type Category = keyof typeof CATEGORIES

function categoryOf(kind: string): Category {
  if (kind === 'tool.call') return 'tool'
  if (kind === 'retrieval.injected') return 'inject'
  if (kind === 'hook.prompt' || kind === 'recall.miss') return 'prompt'
  return kind.startsWith('session.') ? 'session' : 'plan'
}

export interface FeedRow extends AboutStep {
  category: Category
  /** How grave it is, by its tone. */
  severity: 'danger' | 'inject' | 'write' | 'system'
  session: (CalledSession & { agent: string }) | null
  session_id: string
  /** Null: of no project at all. */
  project: string | null
  href: string | null
  peek: string | null
  /** The row above it is of the same group. */
  again: boolean
}

/** The rows of one session in one minute. */
export interface FeedGroup {
  /** Scripts find the group by it. */
  key: string
  /** It begins another day than the group above it, and this is its moment. */
  day: Date | null
  rows: FeedRow[]
}

/** Acts that have no row of their own. */
const BESIDE = ACT_KINDS.filter((kind) => !INTERACTION_KINDS.includes(kind))

/** @param events newest first. What a recall recorded beside its call becomes a part of the call's row. */
export async function rowsOf(app: ScreenApp, events: readonly FeedEvent[]): Promise<FeedRow[]> {
  const { db } = app.kernel
  const byId = new Map(events.map((event) => [event.id, event]))
  const [acts, actors] = await Promise.all([
    findActs(db, app.owner, events, BESIDE),
    findActors(db, [...new Set(events.flatMap(({ session_id }) => session_id ?? []))]),
  ])
  const steps = stepsOf([...events, ...acts], isInteraction).filter(({ id }) =>
    isShown(byId.get(id)),
  )
  const items = await namedItems(app, steps)
  const sessions = new Map(
    [...actors].map(([id, actor]) => [
      id,
      Object.freeze({ ...actor, agent: agentOf(actor.external_client, actor.model) }),
    ]),
  )
  return steps.map((step) => {
    const { kind, session_id, project } = byId.get(step.id)!
    return {
      ...saidOnce(step, items.get(step.item)),
      category: categoryOf(kind),
      severity: severityOf(step),
      session: sessions.get(session_id ?? '') ?? null,
      session_id: session_id ?? '',
      project,
      href: app.links.to('event', step.id),
      peek: app.links.peek('event', step.id),
      again: false,
    }
  })
}

const isShown = (event: FeedEvent | undefined): boolean =>
  event !== undefined && isInteraction(event)

async function namedItems(app: ScreenApp, steps: readonly Step[]): Promise<Map<string, EventItem>> {
  const ids = [...new Set(steps.map(({ item }) => item).filter((id) => id !== ''))]
  const items = await findItems(app, ids)
  return new Map(items.filter(({ missing }) => !missing).map((item) => [item.id, item]))
}

function severityOf({ tone, failed }: Step): FeedRow['severity'] {
  if (failed || tone === 'danger') return 'danger'
  if (tone === 'injected' || tone === 'briefed') return 'inject'
  return tone === 'written' ? 'write' : 'system'
}

/** The same as programs read them. */
export async function interactionsOf({ kernel: { db } }: ScreenApp, events: readonly FeedEvent[]) {
  const shown = events.filter(isInteraction)
  const actors = await findActors(db, [
    ...new Set(shown.flatMap(({ session_id }) => session_id ?? [])),
  ])
  return shown.map((event) => interactionOf(event, actors.get(event.session_id ?? '')))
}

/** By minute, the newest first; in a minute by session, the one first that did something last. */
export function groupsOf(rows: readonly FeedRow[], zone: string): FeedGroup[] {
  const groups = Map.groupBy(rows, keyOf)
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: zone || undefined, dateStyle: 'short' })
  let day = rows[0] ? days.format(rows[0].at) : ''
  return [...groups].map(([key, own]) => {
    const at = own[0]!.at
    const isSame = days.format(at) === day
    day = days.format(at)
    return {
      key,
      day: isSame ? null : at,
      rows: own.map((row, index) => ({ ...row, again: index > 0 })),
    }
  })
}

/** Scripts spell it in the same way (public/interactions/feed-rows.js). */
const keyOf = ({ at, session_id }: FeedRow): string =>
  `${at.toISOString().slice(0, 16)}~${session_id}`
