import type { Kernel } from '../kernel/kernel.ts'
import type { Candidate } from './fusion.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'

/** Memories whose links are followed: the best. */
const FOLLOWED = 5
/** What a linked memory has of the score of the one that links to it; the next one a little less. */
const PASSED_ON = 0.5
const FADES = 60

interface Linked {
  id: string
  /** Which of the sources links to it, from 1. */
  nth: number
}
type Params = { sources: string[]; at: Date | null }
const links = scopeSql<Params, Linked>('recall/links', { kept: true })

/**
 * The memories that the best ones link to. What was found by itself gains nothing by a link. Trouble on the way costs the
 * links alone.
 */
export async function findLinked(
  kernel: Kernel,
  scope: Scope,
  found: readonly Candidate[],
  at: Date | undefined,
): Promise<Candidate[]> {
  const from = found.filter(({ kind }) => kind === 'memory').slice(0, FOLLOWED)
  if (from.length === 0) return []
  try {
    const sources = from.map(({ id }) => id)
    const known = new Set(found.map(({ id }) => id))
    const linked = await links(kernel.db, scope, { sources, at: at ?? null })
    return linked
      .filter(({ id }) => !known.has(id))
      .map(({ id, nth }, k) => {
        const score = (from[nth - 1]!.score * PASSED_ON * FADES) / (FADES + k)
        return { kind: 'memory' as const, id, score, linked: true as const }
      })
  } catch (error) {
    kernel.log.warn({ err: error }, 'links of memories could not be followed')
    return []
  }
}
