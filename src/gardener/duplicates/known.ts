/** What the database knows of pairs. */
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type AnyScope } from '../../projects/projects.ts'
import type { Known } from './compare.ts'

const ofPairs = scopeSql<
  { these: string[]; those: string[]; model: number },
  Known & { a: string; b: string },
  AnyScope
>('gardener/pairs')

/** By the names of the pairs. `model` 0: nothing is known of what they mean. */
export async function knownOf(
  db: Db,
  scope: AnyScope,
  pairs: readonly (readonly [string, string])[],
  model: number,
): Promise<Map<string, Known>> {
  if (pairs.length === 0) return new Map()
  const rows = await ofPairs(db, scope, {
    these: pairs.map(([a]) => a),
    those: pairs.map(([, b]) => b),
    model,
  })
  return new Map(rows.map(({ a, b, ...known }) => [pairKey(a, b), known]))
}

/** Names a pair, whichever of the two comes first. */
export const pairKey = (a: string, b: string): string => (a < b ? `${a}|${b}` : `${b}|${a}`)
