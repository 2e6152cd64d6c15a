/** How today goes, beside the seven days before it. Days are those of the owner's zone. */
import type { Db } from '../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../projects/projects.ts'

export interface TapeRow {
  key: 'tasks' | 'memories' | 'notes' | 'plans' | 'sessions'
  /** Of today. */
  n: number
  /** Of the seven days before it, together. */
  week: number
  today: string
}
/** Returns five rows, in their order. */
const tape = scopeSql<object, TapeRow, OwnerScope>('gamification/tape')
export const findTape = (db: Db, owner: OwnerScope): Promise<TapeRow[]> => tape(db, owner, {})

/** With so many events in ten minutes the house is hot. */
export const HOT_EVENTS = 15

const lately = scopeSql<object, { n: number }, OwnerScope>('gamification/lately')

/** How many events there were in the last ten minutes. */
export async function findLately(db: Db, owner: OwnerScope): Promise<number> {
  const [row] = await lately(db, owner, {})
  return row!.n
}

/** What a session has done today. */
export interface Contribution {
  memories: number
  notes: number
  tasks_closed: number
}

const contributions = scopeSql<
  { sessions: readonly string[] },
  Contribution & { session: string },
  OwnerScope
>('gamification/contributions')

/** Returns what each of the sessions has done today, by its id. */
export async function findContributions(
  db: Db,
  owner: OwnerScope,
  sessions: readonly string[],
): Promise<Map<string, Contribution>> {
  if (sessions.length === 0) return new Map()
  const rows = await contributions(db, owner, { sessions })
  return new Map(rows.map(({ session, ...done }) => [session, done]))
}
