/** What tasks wait for. An edge is never taken away, and no task ever waits for itself. */
import { conflict, invalid, Refusal } from '../kernel/refusal.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import { quote } from './holder.ts'
import { insertEdges, lockBlockers, walkDown, walkUp } from './store.ts'

/** Named by one call. */
const AT_ONCE = 1_000

/** Distinct ids, not more than one call may name. */
export function blockersIn(asked: readonly string[] | undefined, name: string): string[] {
  const ids = [...new Set(asked)].sort()
  if (ids.length > AT_ONCE) throw invalid(`${name}: at most ${AT_ONCE} ids in one call`)
  return ids
}

/**
 * Blockers as they are to stay until the transaction ends. One that the scope may not read answers like
 * one that does not exist.
 */
export async function holdBlockers(
  kernel: Kernel,
  scope: Scope,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const found = new Set((await lockBlockers(kernel.db, ids, scope)).map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) {
    throw new Refusal('not_found', `task not found: depends_on ${quote(missing)}`)
  }
}

/** A task that was made in this transaction: nothing waits for it yet, so that no circle can close. */
export async function dependFromBirth(
  { db }: Kernel,
  task: string,
  blockers: readonly string[],
): Promise<void> {
  if (blockers.length > 0) await insertEdges(db, task, blockers)
}

/** Under the lock of the graph, with the blockers held. */
export async function dependOn(
  { db }: Kernel,
  task: string,
  blockers: readonly string[],
): Promise<void> {
  if (blockers.includes(task)) throw conflict(`task ${quote(task)} cannot depend on itself`)
  if (await wouldCloseCircle(db, task, blockers)) {
    throw conflict(
      `dependency would create a cycle: one of ${blockers.slice(0, 3).map(quote).join(', ')}` +
        `${blockers.length > 3 ? ', …' : ''} already waits on ${quote(task)}, directly or through others`,
    )
  }
  await insertEdges(db, task, blockers)
}

const FIRST_LOOK = 64

/**
 * Looks from both ends in turn, ever further, and is done when one of them has come to its end: an
 * edge between a long chain and something small costs what the small side costs.
 */
async function wouldCloseCircle(
  db: Db,
  asker: string,
  blockers: readonly string[],
): Promise<boolean> {
  for (let most = FIRST_LOOK; ; most *= 8) {
    for (const walk of [walkDown, walkUp]) {
      const [row] = await walk(db, { asker, blockers, most })
      const { seen, met } = row!
      if (met) return true
      if (seen < most) return false
    }
  }
}
