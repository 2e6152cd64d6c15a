import { byMeaning, embedQuery, type Near } from '../embeddings/embeddings.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AnyScope } from '../projects/projects.ts'
import type { Asked } from './retriever.ts'
import { backgroundOf, type Background } from './background.ts'

/** What the search by meaning came to: hits, or why there are none of it. */
export interface Meant {
  hits: Near[]
  /** How alike any two texts are to the model; left out when there are no hits. */
  background?: Background
  /** Why meaning was not looked at, for the caller; left out when it was, or when no provider is configured. */
  degraded?: string
}

/** The items nearest in meaning. Trouble at the provider is no error: words answer alone. */
export async function findByMeaning(
  kernel: Kernel,
  scope: AnyScope,
  { query, kinds, depth, memoryKind, at }: Asked,
): Promise<Meant> {
  const meant = await embedQuery(kernel, query)
  if (meant === undefined) return { hits: [] }
  if ('cause' in meant) return { hits: [], degraded: meant.cause }
  const filters = { ...(memoryKind !== undefined && { memoryKind }), ...(at && { at }) }
  const [hits, background] = await Promise.all([
    byMeaning(kernel.db, scope, meant, kinds, depth, filters),
    backgroundOf(kernel, meant.model, meant.vector.length),
  ])
  return { hits, background }
}
