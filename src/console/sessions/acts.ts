/** What calls record beside themselves: that one wrote a memory, which items another found. */
import { sql } from 'kysely'
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
/** Of the acts beside one page of events. */
const MOST_ACTS = 1_000

/** Which acts belong to which call of their session: each to one, the call that was over soonest after it. */
export function actsByCall(events: readonly FeedEvent[]): Map<FeedEvent, FeedEvent[]> {
  const bySession = Map.groupBy(events, ({ session_id }) => session_id)
  return new Map([...bySession.values()].flatMap((own) => [...actsInSession(own)]))
}

function actsInSession(events: readonly FeedEvent[]): Map<FeedEvent, FeedEvent[]> {
  const sorted = events.toSorted(byTime)
  const calls = sorted.filter(({ kind }) => kind === 'tool.call')
  const found = new Map<FeedEvent, FeedEvent[]>()
  let next = 0
  for (const act of sorted) {
    if (act.kind === 'tool.call' || act.kind === 'agent.mishap') continue
    const at = act.ts.getTime()
    while (next < calls.length && calls[next]!.ts.getTime() < at - LATE_MS) next++
    const fits = calls
      .slice(next, next + 20)
      .filter((call) => at >= beganMs(call) - LATE_MS && kindsOf(call).includes(act.kind))
    const call = fits.find(({ ts }) => ts.getTime() >= at) ?? fits.at(-1)
    if (call) found.set(call, [...(found.get(call) ?? []), act])
  }
  return found
}

/** The oldest first. */
export const byTime = (a: FeedEvent, b: FeedEvent): number =>
  a.ts.getTime() - b.ts.getTime() || (a.id < b.id ? -1 : 1)

const beganMs = ({ ts, payload }: FeedEvent): number =>
  ts.getTime() - (typeof payload['duration_ms'] === 'number' ? payload['duration_ms'] : 0)

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
