/** What the feed may be asked for: a window that ends now, an older stretch of one, or what is newer than a place. */
import Type, { type Static } from 'typebox'
import { parseTime } from '../../kernel/clock.ts'
import { isId } from '../../kernel/id.ts'
import { invalid } from '../../kernel/refusal.ts'
import { quote } from '../../kernel/schema/words.ts'

const DAY_S = 24 * 60 * 60
/** As far back as one window reaches, in seconds. */
const LONGEST_S = 30 * DAY_S

/** Of a place: a time or an id. */
const Part = Type.Optional(Type.String({ maxLength: 40 }))

export const Asking = Type.Object({
  history: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_S })),
  afterTs: Part,
  before: Part,
  beforeTs: Part,
  since: Part,
  sinceTs: Part,
  volume: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 * 365 * DAY_S })),
})

/** A place in the log: `id` tells events of one moment apart, and '' stands before all of them. */
export interface Place {
  ts: Date
  id: string
}

export type Asked =
  | { form: 'nothing' }
  | { form: 'window'; seconds: number }
  | { form: 'older'; after: Date; before: Place }
  | { form: 'newer'; since: Place }

/** @throws on half a place, on forms that exclude each other, and on what is no time */
export function askedOf(query: Static<typeof Asking>): Asked {
  const { history, afterTs, before, beforeTs, since, sinceTs } = query
  const older = [afterTs, before, beforeTs].filter((one) => one !== undefined)
  const newer = [since, sinceTs].filter((one) => one !== undefined)
  if (newer.length > 0 && (older.length > 0 || history !== undefined))
    throw invalid('since asks for what is newer: it excludes history, afterTs, before and beforeTs')
  if (history !== undefined && older.length > 0)
    throw invalid('history is a window that ends now: it excludes afterTs, before and beforeTs')
  if (history !== undefined) return { form: 'window', seconds: history }
  if (newer.length > 0) return newerThan(since, sinceTs)
  if (older.length > 0) return olderThan(afterTs, before, beforeTs)
  return { form: 'nothing' }
}

function newerThan(since: string | undefined, sinceTs: string | undefined): Asked {
  if (since === undefined || sinceTs === undefined)
    throw invalid('since and sinceTs are one place: both are wanted, and since may be empty')
  return { form: 'newer', since: { ts: time('sinceTs', sinceTs), id: since && id('since', since) } }
}

function olderThan(
  afterTs: string | undefined,
  before: string | undefined,
  beforeTs: string | undefined,
): Asked {
  if (afterTs === undefined || before === undefined || beforeTs === undefined)
    throw invalid('an older page is asked for by afterTs, before and beforeTs together')
  const ts = time('beforeTs', beforeTs)
  return {
    form: 'older',
    after: time('afterTs', afterTs),
    before: { ts, id: id('before', before) },
  }
}

/** @throws on what is no time */
export function time(name: string, given: string): Date {
  const parsed = parseTime(given)
  // Nothing was recorded before, and databases count the oldest years in another way.
  if (parsed) return new Date(Math.max(0, parsed.getTime()))
  throw invalid(`invalid ${name} ${quote(given)}: a time is written as 2026-11-20T15:30:00Z`)
}

function id(name: string, given: string): string {
  if (isId(given.toUpperCase())) return given.toUpperCase()
  throw invalid(`invalid ${name} ${quote(given)}: it is the id of an event`)
}
