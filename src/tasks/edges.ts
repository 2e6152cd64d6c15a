/** What tasks wait for. An edge is never taken away, and no task ever waits for itself. */
import { conflict, invalid, Refusal } from '../kernel/refusal.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import { quote } from './holder.ts'
import { insertEdges, lockBlockers, walkBothWays, type Edges } from './graph.ts'
import { isFinished, type TaskStatus } from './task.ts'

/** The most ids in one call. */
const AT_ONCE = 1_000

/** Distinct ids, not more than one call may name. */
export function blockersIn(asked: readonly string[] | undefined, name: string): string[] {
  const ids = [...new Set(asked)].sort()
  if (ids.length > AT_ONCE) throw invalid(`${name}: at most ${AT_ONCE} ids in one call`)
  return ids
}

/** Blockers as they stay until the transaction ends. */
type Held = ReadonlyMap<string, TaskStatus>

/** A blocker that the scope may not read is refused like one that does not exist. */
export async function holdBlockers(
  { db }: Kernel,
  scope: Scope,
  ids: readonly string[],
): Promise<Held> {
  if (ids.length === 0) return new Map()
  const found = await lockBlockers(db, ids, scope)
  const held = new Map(found.map(({ id, status }) => [id, status]))
  const missing = ids.find((id) => !held.has(id))
  if (missing !== undefined) {
    throw new Refusal('not_found', `task not found: depends_on ${quote(missing)}`)
  }
  return held
}

export function edgesTo(held: Held): Edges {
  const waits_for = [...held.values()].filter((status) => !isFinished(status)).length
  return { depends_on_total: held.size, waits_for }
}

/** Of a task that is made in this transaction: nothing waits for it yet, so that no circle can close. */
export async function dependFromBirth({ db }: Kernel, task: string, held: Held): Promise<void> {
  if (held.size > 0) await insertEdges(db, task, [...held.keys()])
}

/** Under the lock of the graph. Returns what the task waits for now and did not before. */
export async function dependOn({ db }: Kernel, task: string, held: Held): Promise<Edges> {
  if (held.size === 0) return edgesTo(held)
  const blockers = [...held.keys()]
  await refuseCircle(db, task, blockers)
  const added = await insertEdges(db, task, blockers)
  return edgesTo(new Map([...held].filter(([id]) => added.has(id))))
}

/** Refuses a task that would wait for itself. It may come to that later, unless the graph is locked. */
export async function refuseCircle(
  db: Db,
  task: string,
  blockers: readonly string[],
): Promise<void> {
  if (blockers.includes(task)) throw conflict(`task ${quote(task)} cannot depend on itself`)
  if (!(await wouldCloseCircle(db, task, blockers))) return
  throw conflict(
    `dependency would create a cycle: one of ${blockers.slice(0, 3).map(quote).join(', ')}` +
      `${blockers.length > 3 ? ', …' : ''} already waits on ${quote(task)}, directly or through others`,
  )
}

/** The first look is enough for nearly every task, the second for a long chain. */
const [FIRST_LOOK, SECOND_LOOK] = [64, 8_192]

/** Walks both ways, further each time, until one way ends. */
async function wouldCloseCircle(
  db: Db,
  asker: string,
  blockers: readonly string[],
): Promise<boolean> {
  for (let most = FIRST_LOOK; ; most = Math.max(SECOND_LOOK, most * 8)) {
    const [look] = await walkBothWays(db, { asker, blockers, most })
    if (look!.closes !== null) return look!.closes
  }
}
