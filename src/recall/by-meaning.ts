import {
  byMeaning,
  embedQuery,
  type Meant as Question,
  type Near,
} from '../embeddings/embeddings.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AnyScope } from '../projects/projects.ts'
import type { Asked } from './retriever.ts'
import { backgroundOf } from './background.ts'
import { checkedScale, nearOf, scaleOf, type Scale } from './fusion.ts'

/** What the search by meaning came to: hits, or why there are none of it. */
export interface Meant {
  hits: Near[]
  /** What its similarities are worth; left out when there are no hits. */
  scale?: Scale
  /** Why meaning was not looked at, for the caller; left out when it was, or when no provider is configured. */
  degraded?: string
}

/**
 * The items nearest in meaning. Trouble at the provider is no error: words answer alone. So they do beside a model that
 * counts nothing: what it finds comes after all that the words found, and is asked for where they leave room.
 */
export async function findByMeaning(
  kernel: Kernel,
  scope: AnyScope,
  asked: Asked,
  words: Promise<readonly unknown[]>,
): Promise<Meant> {
  const meant = await embedQuery(kernel, asked.query)
  if (meant === undefined) return { hits: [] }
  if ('cause' in meant) {
    const { cause: degraded, instead } = meant
    return instead
      ? { ...(await nearTo(kernel, scope, instead, asked, words)), degraded }
      : { hits: [], degraded }
  }
  return nearTo(kernel, scope, meant, asked, words)
}

async function nearTo(
  kernel: Kernel,
  scope: AnyScope,
  meant: Question,
  { kinds, depth, memoryKind, at }: Asked,
  words: Promise<readonly unknown[]>,
): Promise<Pick<Meant, 'hits' | 'scale'>> {
  if (meant.scale?.weight === 0 && (await words).length >= depth) return { hits: [] }
  const filters = {
    wholes: true,
    ...(memoryKind !== undefined && { memoryKind }),
    ...(at && { at }),
  }
  const [hits, scale] = await Promise.all([
    byMeaning(kernel.db, scope, meant, kinds, depth, filters),
    meant.scale
      ? checkedScale(meant.scale)
      : backgroundOf(kernel, meant.model, meant.vector.length).then(scaleOf),
  ])
  return { hits: hits.sort((a, b) => nearOf(b) - nearOf(a)), scale }
}
