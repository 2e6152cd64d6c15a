/** How much there has ever been in a project: memories, recalls that found something, supersessions, shipped plans. */
import { sql } from 'kysely'
import type { FeedEvent } from '../kernel/feed.ts'
import type { Db } from '../kernel/kernel.ts'
import type { FollowedPage } from '../postgres/followers.ts'
import { sqlFile } from '../postgres/sql-file.ts'

export type What = 'memories' | 'recalls' | 'supersessions' | 'plans'

/** By the kind of event that counts. */
const WHAT: Readonly<Record<string, What>> = {
  'memory.written': 'memories',
  'retrieval.injected': 'recalls',
  'memory.superseded': 'supersessions',
  'plan.shipped': 'plans',
}
export const COUNTED = Object.keys(WHAT)

/** An event, and which one of its project it is: the hundredth memory. */
export interface Counted {
  event: FeedEvent
  what: What
  /** '' is the global scope. */
  project: string
  nth: number
}

const firstWritten = sqlFile<{ events: readonly string[] }, { id: string }>(
  'momentum/first_written',
)

/** Counts the events of the page, and returns each that counted. */
export async function count(db: Db, { events }: FollowedPage): Promise<Counted[]> {
  const counting = events.filter(({ kind, payload }) =>
    kind === 'retrieval.injected' ? payload['source'] === 'recall' : kind in WHAT,
  )
  const written = counting.filter(({ kind }) => kind === 'memory.written').map(({ id }) => id)
  const rows = written.length === 0 ? [] : await firstWritten(db, { events: written })
  const first = new Set(rows.map(({ id }) => id))
  // A memory counts once, however often it is changed.
  const all = counting.filter(({ kind, id }) => kind !== 'memory.written' || first.has(id))
  const groups = Map.groupBy(all, ({ project, kind }) => `${WHAT[kind]} ${project ?? ''}`)
  const sums = await add(
    db,
    [...groups].map(([key, { length: n }]) => {
      const [what = '', project = ''] = key.split(' ')
      return { project, what, n }
    }),
  )
  return [...groups].flatMap(([key, own]) => {
    const before = sums.get(key)! - own.length
    return own.map((event, at) => ({
      event,
      what: WHAT[event.kind]!,
      project: event.project ?? '',
      nth: before + at + 1,
    }))
  })
}

/** Returns what there is then, by `what` and project. */
async function add(
  db: Db,
  more: readonly { project: string; what: string; n: number }[],
): Promise<Map<string, number>> {
  if (more.length === 0) return new Map()
  const rows = await db
    .insertInto('momentum_counts')
    .values([...more])
    .onConflict((conflict) =>
      conflict
        .columns(['project', 'what'])
        .doUpdateSet({ n: sql<number>`momentum_counts.n + excluded.n` }),
    )
    .returning(['project', 'what', 'n'])
    .execute()
  return new Map(rows.map(({ project, what, n }) => [`${what} ${project}`, n]))
}

/** Counts from the beginning again. */
export async function forgetCounts(db: Db): Promise<void> {
  await db.deleteFrom('momentum_counts').execute()
}
