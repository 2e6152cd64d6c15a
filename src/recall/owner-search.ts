import type { Kernel } from '../kernel/kernel.ts'
import type { ItemKind } from '../passages/passages.ts'
import { hitOf, type Hit } from './hit.ts'
import { scopeSql, type OwnerScope } from '../projects/projects.ts'
import { depthFor, search, show, type Found } from './search.ts'

/** How an identifier was met, the strongest first. */
export const MATCHES = ['exact_id', 'exact_identifier', 'id_prefix', 'identifier'] as const

export interface OwnersHit extends Hit {
  /** Cosine, when it was found by its meaning. */
  similarity?: number
  /** When it is called what was asked. */
  match?: (typeof MATCHES)[number]
}

export interface OwnersQuestion {
  query: string
  kinds: readonly ItemKind[]
  /** Hits of each kind at most. */
  limit: number
  /** By words and names alone: no provider is asked. */
  fast: boolean
}

/** From 8 characters on it is one, and 26 are a whole id. */
const BEGINNING = /^[0-7][0-9A-HJKMNP-TV-Z]{7,24}$/

interface Named {
  kind: ItemKind
  id: string
  tier: number
}
type Params = {
  query: string
  beginning: string
  pattern: string
  kinds: readonly ItemKind[]
  depth: number
}
const byIdentifier = scopeSql<Params, Named, OwnerScope>('recall/identifiers')

/**
 * What the owner's search finds: past every fence, no demand, no boosts, no links, and no budget but
 * the limit. What is called so comes first; of the rest, what only meaning found must be near enough.
 */
export async function ownerSearch(
  kernel: Kernel,
  owner: OwnerScope,
  { query, kinds, limit, fast }: OwnersQuestion,
): Promise<OwnersHit[]> {
  const depth = depthFor(limit) * kinds.length
  const [named, { found }] = await Promise.all([
    findNamed(kernel, owner, query, kinds, depth),
    search(kernel, owner, { query, kinds, depth, wordsAlone: fast }),
  ])
  const known = new Map(found.map((one) => [one.id, one]))
  const matched = new Map(named.map(({ id, tier }) => [id, MATCHES[tier]!]))
  const unseen = named.filter(({ id }) => !known.has(id)).map((one) => ({ ...one, score: 0 }))
  for (const one of await show(kernel, owner, unseen)) known.set(one.id, one)
  const first = named.flatMap(({ id }) => known.get(id) ?? [])
  const floor = kernel.config.search.semantic_floor
  const rest = found.filter((one) => !matched.has(one.id) && isNear(one, floor))

  return kinds.flatMap((kind) =>
    [...first, ...rest]
      .filter((one) => one.kind === kind)
      .slice(0, limit)
      .map((one) => {
        const match = matched.get(one.id)
        return {
          ...hitOf(one),
          ...(one.meaning && { similarity: one.meaning.similarity }),
          ...(match && { match }),
        }
      }),
  )
}

const isNear = ({ words, meaning }: Found, floor: number): boolean =>
  words !== undefined || (meaning?.similarity ?? 0) >= floor

function findNamed(
  { db }: Kernel,
  owner: OwnerScope,
  query: string,
  kinds: readonly ItemKind[],
  depth: number,
): Promise<Named[]> {
  const id = query.toUpperCase()
  return byIdentifier(db, owner, {
    query,
    beginning: BEGINNING.test(id) ? id : '',
    pattern: `%${query.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
    kinds,
    depth,
  })
}
