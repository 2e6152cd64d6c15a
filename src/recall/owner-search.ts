import type { Db, Kernel } from '../kernel/kernel.ts'
import { wordsAsked, type ItemKind } from '../passages/passages.ts'
import { excerptAround, excerptOf, type Asked } from './excerpt.ts'
import type { Candidate } from './fusion.ts'
import { hitOf, type Hit } from './hit.ts'
import { keyOf, type Keyed } from './items.ts'
import { scopeSql, type OwnerScope } from '../projects/projects.ts'
import { containing } from '../text/like.ts'
import { depthFor, search, show, type Found } from './search.ts'

/** How an identifier was met, the strongest first. */
export const MATCHES = ['exact_id', 'exact_identifier', 'id_prefix', 'identifier'] as const

export interface OwnersHit extends Hit {
  /** When it was changed last. */
  updated: Date
  /** Cosine, when it was found by its meaning. */
  similarity?: number
  /** When it is called what was asked. */
  match?: (typeof MATCHES)[number]
  /** When its words were found, or these very characters: the part of its text that has most of them. */
  passage?: string
}

export interface OwnersQuestion {
  query: string
  kinds: readonly ItemKind[]
  /** Hits of each kind at most. */
  limit: number
  /** By words and names alone: no provider is asked. */
  fast: boolean
}

/** The tier of what merely holds the characters. */
const IN_TEXT = MATCHES.length

/** From 8 characters on it is one, and 26 are a whole id. */
const BEGINNING = /^[0-7][0-9A-HJKMNP-TV-Z]{7,24}$/

/** Characters of each text that are looked through for what was found. */
const LOOKED_THROUGH = 4_000

interface Named {
  kind: ItemKind
  id: string
  /** Its place in MATCHES, or IN_TEXT. */
  tier: number
}
type Called = { query: string; beginning: string; pattern: string; depth: number }
const byIdentifier = scopeSql<Called & { kinds: readonly ItemKind[] }, Named, OwnerScope>(
  'recall/identifiers',
)
const namedSessions = scopeSql<Called, Named, OwnerScope>('recall/named-sessions')

type Text = { kind: ItemKind; id: string; passage: string }
type Wanted = { kinds: string[]; ids: string[]; chunks: (number | null)[]; most: number }
const texts = scopeSql<Wanted, Text, OwnerScope>('recall/texts')

/**
 * What the owner's search finds: past every fence, no demand, no boosts, no links, and no budget but
 * the limit. What is called so comes first; of the rest, what only meaning found must be near enough, and
 * what merely holds the characters comes last.
 */
export async function ownerSearch(
  kernel: Kernel,
  owner: OwnerScope,
  question: OwnersQuestion,
): Promise<OwnersHit[]> {
  const { query, kinds, limit, fast } = question
  const depth = depthFor(limit) * kinds.length
  const [named, { candidates }] = await Promise.all([
    findNamed(kernel.db, owner, question),
    search(kernel, owner, { query, kinds, depth, wordsAlone: fast }),
  ])
  const tiers = new Map(named.map((one) => [keyOf(one), one.tier]))
  const ranked = inOrder(named, tiers, candidates, kernel.config.search.semantic_floor)
  const wanted = kinds.flatMap((kind) => ranked.filter((one) => one.kind === kind).slice(0, limit))
  const [shown, passages] = await Promise.all([
    show(kernel, owner, wanted),
    passagesOf(kernel.db, owner, query, wanted, tiers),
  ])
  return shown.map((one) => ownersHit(one, tiers.get(keyOf(one)), passages.get(keyOf(one))))
}

/** Those called so, then what was found, then what merely holds the characters. */
function inOrder(
  named: readonly Named[],
  tiers: ReadonlyMap<string, number>,
  candidates: readonly Candidate[],
  floor: number,
): Candidate[] {
  const found = new Map(candidates.map((one) => [keyOf(one), one]))
  const isCalledSo = (one: Keyed) => (tiers.get(keyOf(one)) ?? IN_TEXT) < IN_TEXT
  const candidateOf = ({ kind, id }: Named): Candidate =>
    found.get(keyOf({ kind, id })) ?? { kind, id, score: 0 }
  return [
    ...named.filter(isCalledSo).map(candidateOf),
    ...candidates.filter(
      (one) => !isCalledSo(one) && (tiers.has(keyOf(one)) || isNear(one, floor)),
    ),
    ...named.filter((one) => !isCalledSo(one) && !found.has(keyOf(one))).map(candidateOf),
  ]
}

const isNear = ({ words, meaning }: Candidate, floor: number): boolean =>
  words !== undefined || (meaning?.similarity ?? 0) >= floor

function ownersHit(found: Found, tier?: number, passage?: string): OwnersHit {
  const match = MATCHES[tier ?? IN_TEXT]
  return {
    ...hitOf(found),
    updated: found.changed_at,
    ...(found.meaning && { similarity: found.meaning.similarity }),
    ...(match && { match }),
    ...(passage && { passage }),
  }
}

/** What is shown of those in whose text something was found. */
async function passagesOf(
  db: Db,
  owner: OwnerScope,
  query: string,
  found: readonly Candidate[],
  tiers: ReadonlyMap<string, number>,
): Promise<Map<string, string>> {
  const read = found.filter((one) => one.words || tiers.get(keyOf(one)) === IN_TEXT)
  if (read.length === 0) return new Map()
  const asked: Asked = wordsAsked(query)
  const rows = await texts(db, owner, {
    kinds: read.map(({ kind }) => kind),
    ids: read.map(({ id }) => id),
    chunks: read.map(({ words }) => words?.chunk ?? null),
    most: LOOKED_THROUGH,
  })
  return new Map(
    rows.map((row) => [
      keyOf(row),
      excerptAround(row.passage, query) ?? excerptOf(row.passage, asked),
    ]),
  )
}

/** There are many sessions, and no index of a character or two: they are looked through beside all else. */
async function findNamed(
  db: Db,
  owner: OwnerScope,
  { query, kinds, limit }: OwnersQuestion,
): Promise<Named[]> {
  const id = query.toUpperCase()
  const asked = {
    ...{ query, beginning: BEGINNING.test(id) ? id : '' },
    ...{ pattern: containing(query), depth: limit },
  }
  const others = kinds.filter((kind) => kind !== 'session')
  const found = await Promise.all([
    kinds.includes('session') ? namedSessions(db, owner, asked) : [],
    others.length > 0 ? byIdentifier(db, owner, { ...asked, kinds: others }) : [],
  ])
  return found.flat()
}
