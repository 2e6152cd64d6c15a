/** What the database knows of pairs. */
import type { Db } from '../../kernel/kernel.ts'
import type { Likeness } from '../../embeddings/embeddings.ts'
import { scopeSql, type AnyScope } from '../../projects/projects.ts'
import type { Known } from './compare.ts'

const ofPairs = scopeSql<
  { these: string[]; those: string[]; model: number },
  { a: string; b: string; cosine: number | null; linked: boolean },
  AnyScope
>('gardener/pairs')

/**
 * By the names of the pairs, but for those of which one is gone. Without a likeness nothing is known of what they mean.
 */
export async function knownOf(
  db: Db,
  scope: AnyScope,
  pairs: readonly (readonly [string, string])[],
  likeness: Likeness | undefined,
): Promise<Map<string, Known>> {
  if (pairs.length === 0) return new Map()
  const rows = await ofPairs(db, scope, {
    these: pairs.map(([a]) => a),
    those: pairs.map(([, b]) => b),
    model: likeness?.model ?? 0,
  })
  return new Map(
    rows.map(({ a, b, linked, cosine }) => {
      const alike = likeness && cosine !== null ? likeness.similarity(cosine) : null
      return [pairKey(a, b), { linked, alike }]
    }),
  )
}

/** Names a pair, whichever of the two comes first. */
export const pairKey = (a: string, b: string): string => (a < b ? `${a}|${b}` : `${b}|${a}`)
