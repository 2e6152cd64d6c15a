/** What the cards of plans ask about their steps. Each is one statement for all cards. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'

/** Of one plan: steps that are not closed, and those that were closed last. */
const STEPS = { most: 40, closed: 25 }

interface StepRow {
  plan: string
  id: string
  closed: boolean
}
const steps = scopeSql<
  { project: string; plans: readonly string[] } & typeof STEPS,
  StepRow,
  OwnerScope
>('projects/steps')

/** Plan by plan: the open ones, the oldest first, then the closed ones, the last closed first. */
export const readSteps = (
  db: Db,
  owner: OwnerScope,
  params: { project: string; plans: readonly string[] },
): Promise<StepRow[]> => steps(db, owner, { ...params, ...STEPS })

/** As far as a chain of blockers is followed. */
const DEEP = 3

interface Blocker {
  of: string
  id: string
  title: string
  status: string
}
const chains = scopeSql<{ ids: readonly string[]; deep: number }, Blocker, OwnerScope>(
  'projects/chains',
)

/** Of each of these tasks what it waits for, what that waits for, and so on. */
export async function readChains(db: Db, owner: OwnerScope, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Blocker[]>()
  return Map.groupBy(await chains(db, owner, { ids, deep: DEEP }), ({ of }) => of)
}

/** Of the tasks that wait for one so many are named. */
const NAMED = 3

interface Unblocked {
  of: string
  n: number
  first: { id: string; title: string }[]
}
const unblocks = scopeSql<{ ids: readonly string[]; most: number }, Unblocked, OwnerScope>(
  'projects/unblocks',
)

/** How many tasks wait for each of these, and the first of them. */
export async function readUnblocked(db: Db, owner: OwnerScope, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Unblocked>()
  const rows = await unblocks(db, owner, { ids, most: NAMED })
  return new Map(rows.map((row) => [row.of, row]))
}

/** Of one step. */
const MOVES = 3

export interface MoveRow {
  id: string
  ts: Date
  session_id: string | null
  payload: {
    to: string
    created?: true
    released?: true
    by?: 'console'
    claimed_by?: string
    reclaimed?: true
  }
}
const moves = scopeSql<{ ids: readonly string[]; most: number }, MoveRow, OwnerScope>(
  'projects/moves',
)

/** The last changes of the states of these tasks, newest first. */
export const readMoves = async (
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<MoveRow[]> => (ids.length === 0 ? [] : moves(db, owner, { ids, most: MOVES }))

/** Proposals that would abandon a plan because nothing moves there, by the plan's note. */
export async function findStale(
  db: Db,
  owner: OwnerScope,
  notes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  checkOwner(owner)
  if (notes.length === 0) return new Map()
  const rows = await db
    .selectFrom('proposals')
    .select(['id', 'dedupe_key'])
    .where('status', '=', sql.lit('pending'))
    .where(
      'dedupe_key',
      'in',
      notes.map((note) => `abandon_plan:${note}`),
    )
    .execute()
  return new Map(rows.map(({ id, dedupe_key }) => [dedupe_key.slice('abandon_plan:'.length), id]))
}
