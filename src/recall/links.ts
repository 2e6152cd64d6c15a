import type { Kernel } from '../kernel/kernel.ts'
import { showItems } from './items.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'
import type { Found } from './search.ts'

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
const findLinked = scopeSql<Params, Linked>('recall/links', { kept: true })

/**
 * Adds the memories that the best ones link to. What was found by itself gains nothing by a link.
 * Trouble on the way costs the links alone.
 */
export async function withLinked(
  kernel: Kernel,
  scope: Scope,
  found: readonly Found[],
  at: Date | undefined,
): Promise<Found[]> {
  const from = found.filter(({ kind }) => kind === 'memory').slice(0, FOLLOWED)
  if (from.length === 0) return [...found]
  try {
    const sources = from.map(({ id }) => id)
    const known = new Set(found.map(({ id }) => id))
    const linked = (await findLinked(kernel.db, scope, { sources, at: at ?? null })).filter(
      ({ id }) => !known.has(id),
    )
    const wanted = linked.map(({ id }) => ({ kind: 'memory' as const, id }))
    const shown = new Map((await showItems(kernel.db, scope, wanted)).map((one) => [one.id, one]))
    const added = linked.flatMap(({ id, nth }, k) => {
      const item = shown.get(id)
      const score = (from[nth - 1]!.score * PASSED_ON * FADES) / (FADES + k)
      return item ? [{ ...item, score, source: 'link' as const, boosts: {} }] : []
    })
    return [...found, ...added]
  } catch (error) {
    kernel.log.warn({ err: error }, 'links of memories could not be followed')
    return [...found]
  }
}
