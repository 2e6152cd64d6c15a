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
}

export function defineEvent<Payload extends TSchema>(
  name: string,
  payload: Payload,
  summary: EventKind<Payload>['summary'],
): EventKind<Payload> {
  return { name, transport: false, payload, summary }
}

export function defineTransportEvent<Payload extends TSchema>(
  name: string,
  payload: Payload,
  summary: EventKind<Payload>['summary'],
): EventKind<Payload> {
  return { name, transport: true, payload, summary }
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
