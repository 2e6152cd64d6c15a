import type { Scale } from '../kernel/embedder.ts'
import type { Db } from '../kernel/kernel.ts'
import { inTurns } from '../kernel/together.ts'
import { reals } from '../postgres/numbers.ts'
import { scopeSql, searchedAlike, type Scope } from '../projects/projects.ts'
import { byMeaning, EXACT_PASSAGES, type Meant } from './by-meaning.ts'
import { cosineOf, similarityOf } from './scale.ts'

/** A memory, and how similar its best passage is. */
export interface Same {
  id: string
  similarity: number
}

interface Ask extends Wanted {
  scope: Scope
  meant: Meant & { scale: Scale }
  /** Passages of the scope, beyond which it is not looked through. */
  most: number
}

/** At least so similar, and at most so many. */
export interface Wanted {
  least: number
  depth: number
}

/** Passages through which one look takes a few milliseconds: whoever waits for its transaction waits for it as well. */
const SOON_PASSAGES = 5_000

/** The memories that are so similar, the most similar first. */
export async function nearlyTheSame(
  db: Db,
  scope: Scope,
  meant: Meant,
  { least, depth }: Wanted,
): Promise<Same[]> {
  const found = await lookFor(db, scope, meant, { least, depth, most: EXACT_PASSAGES })
  const near = found ?? (await byMeaning(db, scope, meant, ['memory'], depth))
  return near.filter(({ similarity }) => similarity >= least)
}

/**
 * The same where that is soon told: by a learned model, in a scope of few passages. Otherwise undefined, and in any
 * trouble: a transaction in which it is asked goes on.
 */
export async function soonTheSame(
  db: Db,
  scope: Scope,
  meant: Meant,
  { least, depth }: Wanted,
): Promise<Same[] | undefined> {
  const found = await lookFor(db, scope, meant, { least, depth, most: SOON_PASSAGES })
  return found?.filter(({ similarity }) => similarity >= least)
}

const lookFor = async (
  db: Db,
  scope: Scope,
  { scale, ...meant }: Meant,
  limits: Wanted & { most: number },
): Promise<Same[] | undefined> =>
  scale?.learned ? bySigns(db, { scope, meant: { ...meant, scale }, ...limits }) : undefined

const bySigns = inTurns(async (db, asks: readonly Ask[]) => {
  const answers = new Map<Ask, Same[] | undefined>()
  const alike = Map.groupBy(asks, (ask) => alikeOf(ask))
  await Promise.all(
    [...alike.values()].map(async (some) => {
      const found = await lookedThrough(db, some as [Ask, ...Ask[]])
      for (const [at, ask] of some.entries()) answers.set(ask, found?.[at])
    }),
  )
  return asks.map((ask) => answers.get(ask))
})

/** The same for what one statement answers. */
const alikeOf = ({ scope, meant, least, depth, most }: Ask): string =>
  JSON.stringify([searchedAlike(scope), meant.model, meant.vector.length, least, depth, most])

type Params = {
  model: number
  dims: number
  numbers: Buffer
  least: number
  signs: number
  depth: number
  most: number
}
/** No text where nothing is told: above all when the scope has more passages than `most`. */
type Row = { nth: number | null; id: string; similarity: number }
const lookThrough = scopeSql<Params, Row>('recall/nearly-the-same', { kept: true })

async function lookedThrough(db: Db, asks: [Ask, ...Ask[]]): Promise<Same[][] | undefined> {
  const [{ scope, meant, least, depth, most }] = asks
  const { model, scale } = meant
  const dims = meant.vector.length
  const cosine = cosineOf(scale.knots, least)
  const rows = await lookThrough(db, scope, {
    ...{ model, dims, depth, most },
    numbers: reals(asks.flatMap(({ meant }) => meant.vector)),
    least: cosine,
    signs: signsApart(cosine, dims),
  })
  if (rows.some(({ nth }) => nth === null)) return undefined
  const found: Same[][] = asks.map(() => [])
  for (const { nth, id, similarity } of rows) {
    found[(nth ?? 0) - 1]?.push({ id, similarity: similarityOf(scale.knots, similarity) })
  }
  return found
}

/** Deviations beyond the signs that are expected to differ. */
const SURELY = 4

/**
 * In how many signs two vectors that are so similar differ at most. A plane by chance parts them as often as their angle is
 * part of a half turn (Goemans and Williamson 1995, Charikar 2002), and a learned model is turned by chance.
 */
function signsApart(cosine: number, dims: number): number {
  const parted = Math.acos(cosine) / Math.PI
  return Math.ceil(dims * parted + SURELY * Math.sqrt(dims * parted * (1 - parted)))
}
