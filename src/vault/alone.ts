/** A write that has a transaction of its own. */
import { Overtaken } from './staging.ts'
import { unavailable, type Refusal } from '../kernel/refusal.ts'
import { sqlState } from '../kernel/sql-state.ts'
import { asRefusal, databaseTrouble, storageTrouble } from '../kernel/trouble.ts'
import { attempt, HELD, type Asked } from './attempt.ts'
import type { Tools } from './complete.ts'
import type { Written } from './shared.ts'

/** How often a write starts again because another program changed the file under it. */
const OVERTAKEN_TRIES = 5

/** Waits for whoever holds its paths. Throws what `decide` throws, or the trouble in words. */
export async function writeAlone(tools: Tools, asked: Asked): Promise<Written<unknown>> {
  for (let tries = 1; ; tries++) {
    const [outcome] = await attempt(tools, [asked], 'wait')
    if (!outcome || outcome === HELD) throw new Error('a write was lost')
    if ('written' in outcome) return outcome.written
    const error = 'error' in outcome ? outcome.error : outcome.undone
    if (wasOvertaken(error) && tries < OVERTAKEN_TRIES) continue
    throw told(tools, error)
  }
}

/** Returns what the caller of a write is told of its error. Trouble with storage is kept for those who ask after it. */
export function told({ health }: Tools, error: unknown): unknown {
  const trouble = storageTrouble(error) ?? databaseFull(error)
  if (trouble) health.failed(trouble.message)
  return wording(error)
}

/** A directory that vanishes under a write is an external change as well; the next try says what is missing. */
export const wasOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken || (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'

/** The database's disk is full: trouble with storage too, though not with the vault's. */
function databaseFull(error: unknown): Refusal | undefined {
  return sqlState(error) === '53100' ? databaseTrouble(error) : undefined
}

function wording(error: unknown): unknown {
  if (wasOvertaken(error)) {
    return unavailable('the file is being changed by another program; try again', error)
  }
  return asRefusal(error) ?? error
}
