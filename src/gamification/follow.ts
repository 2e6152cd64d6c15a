import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { mint } from '../kernel/moments.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { FollowedPage, Follower } from '../postgres/followers.ts'
import { recordBroken } from './events.ts'
import { advanceRecords, beginRecords, RECORDS, type Reached } from './records.ts'

/** What sets a record of a day. */
const COUNTED = ['task.transition', 'memory.written']
/** What agents at work do: with any of it there may be more of them than ever. */
const OF_AGENTS = [
  'session.started',
  'note.written',
  'note.read',
  'memory.read',
  'retrieval.injected',
]

/** What gamification does when something has happened. It goes by its name in the switches of features. */
export const gamification: Follower = {
  name: 'gamification',
  kinds: [...COUNTED, ...OF_AGENTS],
  begin,
  take,
}

type OfDays = { day: string; tasks_day: number; memories_day: number }
const daysOf = sqlFile<{ times: readonly Date[] }, OfDays>('gamification/days_of')
const live = sqlFile<{ idle: number }, { day: string; live_agents: number }>('gamification/live')
const bests = sqlFile<object, OfDays>('gamification/bests')

/** Records are of all days there were, and nothing is celebrated that was before the feature was on. */
async function begin({ db, config }: Kernel): Promise<void> {
  const reached = [await bests(db, {}), await live(db, { idle: config.sessions.idle_minutes })]
  await beginRecords(db, reached.flat().flatMap(reachedBy))
}

/** One hand-over follows another, in whichever process: who holds the row of the follower holds the records. */
async function take(kernel: Kernel, { events }: FollowedPage): Promise<void> {
  const { db, config } = kernel
  const times = events.filter(({ kind }) => COUNTED.includes(kind)).map(({ ts }) => ts)
  const days = times.length === 0 ? [] : await daysOf(db, { times })
  const present = await live(db, { idle: config.sessions.idle_minutes })
  const broken = await advanceRecords(db, [...days, ...present].flatMap(reachedBy))
  for (const { record, n, prev, day } of broken) {
    const { label } = RECORDS[record]
    const payload = { record, label, n, prev }
    const draft = { by: NOBODY, project: '', item: `${record}:${day}`, payload }
    await mint(kernel, recordBroken, draft, { item: record, day })
  }
}

/** What a row tells of records, by the names of its columns. */
const reachedBy = ({ day, ...numbers }: { day: string } & Record<string, unknown>): Reached[] =>
  Object.entries(numbers).map(([record, n]) => ({ day, n: Number(n), record }) as Reached)
