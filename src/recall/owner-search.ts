import type { Kernel } from '../kernel/kernel.ts'
import type { ItemKind } from '../passages/passages.ts'
import { hitOf, type Hit } from './hit.ts'
import { depthFor, search } from './search.ts'

export interface OwnersHit extends Hit {
  /** Cosine, when it was found by its meaning. */
  similarity?: number
}

/** What the owner's search finds: past every fence, no demand, no boosts, and no budget but the limit. */
export async function ownerSearch(
  kernel: Kernel,
  query: string,
  kinds: readonly ItemKind[],
  limit: number,
): Promise<OwnersHit[]> {
  const where = { searched: [], everywhere: true }
  const { found } = await search(kernel, where, { query, kinds, depth: depthFor(limit) })
  return found.slice(0, limit).map((one) => ({
    ...hitOf(one),
    ...(one.meaning && { similarity: one.meaning.similarity }),
  }))
}
