import type { Static, TSchema } from 'typebox'
import type { Actor } from './actor.ts'

/** One kind of thing that happens, as the log names it. */
export interface EventKind<Payload extends TSchema = TSchema> {
  name: string
  /** Transport kinds (calls, misses) are pruned by the month; acts are kept for ever. */
  transport: boolean
  payload: Payload
  /** One line for the owner. It is given what the log holds, which may be older than this version. */
  summary(payload: Partial<Static<Payload>>): string
  look: EventLook
}

/** How the owner's pages show the events of a kind, beside their summary. */
export interface EventLook {
  /** The class of its row; `system` when left out. */
  severity?: 'danger' | 'inject' | 'write' | 'moment'
  /** The optional feature of which it is a moment: while that is off, what happened last does not tell it. */
  feature?: string
  /** Agents at work: it stands in the feed. A function decides by what the log holds. */
  interaction?: true | ((payload: Record<string, unknown>) => boolean)
}

export function defineEvent<Payload extends TSchema>(
  name: string,
  payload: Payload,
  summary: EventKind<Payload>['summary'],
  look: EventLook = {},
): EventKind<Payload> {
  return { name, transport: false, payload, summary, look }
}

export function defineTransportEvent<Payload extends TSchema>(
  name: string,
  payload: Payload,
  summary: EventKind<Payload>['summary'],
  look: EventLook = {},
): EventKind<Payload> {
  return { name, transport: true, payload, summary, look }
}

/** An event about to be recorded. */
export interface Draft<Payload> {
  by: Actor
  /** '' is the global scope; null: no project at all. */
  project: string | null
  item: string | null
  payload: Payload
  /** Made beforehand when the same act may be recorded twice: the second insert does nothing. */
  id?: string
}

/** An act that is still to be recorded. */
export interface PendingEvent {
  kind: EventKind
  draft: Draft<unknown>
}

/** An event as reactions see it. */
export interface Recorded<Payload> {
  id: string
  by: Actor
  project: string | null
  item: string | null
  payload: Payload
}
