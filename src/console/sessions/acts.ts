/** What calls record beside themselves: that one wrote a memory, which items another found. */
import { sql } from 'kysely'
import { decodeTime } from 'ulid'
import { eventKinds } from '../../event-kinds.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'

/** By how the name of its tool begins; the first that fits holds. */
const FOLDED: readonly [tool: string, kinds: readonly string[]][] = [
  ['memory_read', ['memory.read']],
  ['memory_', ['memory.written', 'memory.superseded', 'memory.archived']],
  ['notes_read', ['note.read']],
  ['notes_', ['note.written']],
  ['capture_', ['note.written']],
  ['tasks_', ['task.transition']],
  ['recall', ['retrieval.injected', 'recall.miss']],
  ['trial_', ['trial.recorded']],
  ['favorite_', ['favorite.changed']],
  ['session_', ['session.started', 'session.ended', 'retrieval.injected']],
]

/** All that a call may record beside itself. */
export const ACT_KINDS: readonly string[] = [...new Set(FOLDED.flatMap(([, kinds]) => kinds))]

/** What is written in batches bears a time that is late by as long as its batch waited. */
export const LATE_MS = 250
/** A call takes seconds at most: what it did is not older than that. */
const CALL_MS = 30_000
/** Among so many calls on either side of an act is the one that did it. */
const MOST_CALLS = 20
/** Of the acts beside one page of events. */
const MOST_ACTS = 1_000

/** Which acts belong to which call of their session: each to one, the call that was over soonest after it. */
export function actsByCall(events: readonly FeedEvent[]): Map<FeedEvent, FeedEvent[]> {
  const bySession = Map.groupBy(events, ({ session_id }) => session_id)
  return new Map([...bySession.values()].flatMap((own) => [...actsInSession(own)]))
}

/** In the order of their ids: of two of one process the one that was made first comes first, even within a millisecond. */
function actsInSession(events: readonly FeedEvent[]): Map<FeedEvent, FeedEvent[]> {
  const sorted = events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const calls = sorted.filter(({ kind }) => kind === 'tool.call')
  const found = new Map<FeedEvent, FeedEvent[]>()
  let over = 0
  for (const act of sorted) {
    if (act.kind === 'tool.call') over++
    if (act.kind === 'tool.call' || act.kind === 'agent.mishap') continue
    const at = madeMs(act)
    const didIt = (call: FeedEvent): boolean => kindsOf(call).includes(act.kind)
    const later = calls
      .slice(over, over + MOST_CALLS)
      .filter((call) => at >= beganMs(call) - LATE_MS && didIt(call))
    const call =
      later.find((call) => at >= beganMs(call)) ??
      later[0] ??
      calls
        .slice(Math.max(0, over - MOST_CALLS), over)
        .findLast((call) => madeMs(call) >= at - LATE_MS && didIt(call))
    if (call) found.set(call, [...(found.get(call) ?? []), act])
  }
  return found
}

/** The oldest first. */
export const byTime = (a: FeedEvent, b: FeedEvent): number =>
  a.ts.getTime() - b.ts.getTime() || (a.id < b.id ? -1 : 1)

/** When its id was made, in milliseconds: at once. Its `ts` is late by as long as its statement waited for the database. */
const madeMs = ({ id }: FeedEvent): number => decodeTime(id)

/** A call's id is made when it is over. */
const beganMs = (call: FeedEvent): number => {
  const { duration_ms: tookMs } = call.payload
  return madeMs(call) - (typeof tookMs === 'number' ? Math.ceil(tookMs) : 0)
}

const kindsOf = ({ payload }: FeedEvent): readonly string[] =>
  FOLDED.find(([tool]) => String(payload['tool']).startsWith(tool))?.[1] ?? []

/**
 * The acts beside a page of events, newest first: those of the same sessions at the same time. What a hook
 * showed by itself is not among them, because no call did it.
 *
 * @param kinds of those that a call may record
 */
export async function findActs(
  db: Db,
  owner: OwnerScope,
  events: readonly FeedEvent[],
  kinds: readonly string[] = ACT_KINDS,
): Promise<FeedEvent[]> {
  checkOwner(owner)
  const sessions = [...new Set(events.flatMap(({ session_id }) => session_id ?? []))]
  const sorted = events.toSorted(byTime)
  const [oldest, newest] = [sorted[0], sorted.at(-1)]
  if (!oldest || !newest || sessions.length === 0) return []
  return (await db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('kind', 'in', [...kinds])
    .where('ts', '>=', new Date(oldest.ts.getTime() - CALL_MS))
    .where('ts', '<=', new Date(newest.ts.getTime() + LATE_MS))
    .where('session_id', 'in', sessions)
    .where('transport', 'in', [...new Set(kinds.map((kind) => eventKinds.get(kind)!.transport))])
    .where(sql<boolean>`(payload ? 'source' or not payload ? 'hook')`)
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ACTS)
    .execute()) as FeedEvent[]
}
