/**
 * Memories that say the same. Two are compared when they share rare words or, with an embedder, lie near each other in
 * meaning; what is compared, and how it is weighed, is in features.ts, likeness.ts and chance.ts.
 *
 * This file is the door of the folder: the pass over what was written since it last looked, and the comparison of what a
 * request may see.
 */
import { likenessOf, type Likeness } from '../../embeddings/embeddings.ts'
import { newId } from '../../kernel/id.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { Turns } from '../../kernel/turns.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Findings, Pass, Way } from '../passes/pass.ts'
import type { Brief } from '../payloads.ts'
import { putMark, readMark, type Mark } from '../run-store.ts'
import { settledAmong, toBeDropped, type Draft, type DraftOf } from '../store.ts'
import { BODY, Reading } from './candidates.ts'
import { comparable, pairOf, type Comparable, type Pair } from './compare.ts'
import type { Written } from './features.ts'
import { knownOf, pairKey } from './known.ts'

export { duplicatesWithin } from './within.ts'

const NAME = 'duplicates'
/** Memories of a round: as many as keep its statements short. */
const FIRST_ROUND = 16
const LARGEST_ROUND = 64
const ROUND_MS = 40

type Changed = Written & { waits: boolean }
/** Where it stands among what was written. */
type Place = Pick<Mark, 'at' | 'id'>
const changed = scopeSql<
  { at: Date; id: string; most: number; length: number },
  Changed,
  OwnerScope
>('gardener/changed')
const unseen = scopeSql<{ at: Date; id: string }, { memories: number }, OwnerScope>(
  'gardener/unseen',
)

export const duplicates: Pass = {
  name: NAME,
  async look(kernel, owner, most, way) {
    const { db } = kernel
    const likeness = await likenessOf(kernel)
    const name = likeness ? `${NAME}:${likeness.model}` : NAME
    const mark = await readMark(db, name)
    const nearToo = (await countUnseen(db, owner, mark)) <= MOST_NEAR
    const search = await Search.of(kernel, owner, { likeness, mark, most, nearToo })
    await search.run(way)
    const left = await countUnseen(db, owner, search.at)
    return search.findings({ left, done: (kernel) => putMark(kernel.db, name, search.at) })
  },
}

async function countUnseen(db: Db, owner: OwnerScope, { at, id }: Place): Promise<number> {
  const [row] = await unseen(db, owner, { at, id })
  return row?.memories ?? 0
}

interface Looking {
  /** Undefined: words alone. */
  likeness: Likeness | undefined
  mark: Mark
  most: number
  /** Few enough were changed that each is looked for by meaning. */
  nearToo: boolean
}

/** Memories of a run that are looked for by meaning. Of a whole store, which is looked through once, rare words choose. */
const MOST_NEAR = 2_000

/** One look through what was written since the mark. */
class Search {
  /** How far it has looked. */
  at: Place
  readonly #kernel: Kernel
  readonly #owner: OwnerScope
  readonly #looking: Looking
  readonly #reading: Reading
  readonly #drafts: Draft[] = []
  /** Memories that a proposal would drop already: one is dropped for one reason at a time. */
  readonly #dropped: Set<string>
  readonly #seen = new Set<string>()
  readonly #turns = new Turns()
  #size = FIRST_ROUND

  private constructor(
    kernel: Kernel,
    owner: OwnerScope,
    looking: Looking,
    reading: Reading,
    dropped: Set<string>,
  ) {
    this.#kernel = kernel
    this.#owner = owner
    this.#looking = looking
    this.#reading = reading
    this.#dropped = dropped
    this.at = looking.mark
  }

  static async of(kernel: Kernel, owner: OwnerScope, looking: Looking): Promise<Search> {
    const { db } = kernel
    const [reading, dropped] = [await Reading.of(db, owner), await toBeDropped(db, owner)]
    return new Search(kernel, owner, looking, reading, dropped)
  }

  findings(more: Pick<Findings, 'left' | 'done'>): Findings {
    return { drafts: this.#drafts, found: this.#drafts.length, ...more }
  }

  async run({ going, pace }: Way): Promise<void> {
    for (let more = true; more && going();) {
      const began = performance.now()
      more = await this.#round()
      await this.#turns.give()
      await pace?.rest(performance.now() - began)
    }
  }

  /** Looks at the next few. Returns whether there may be more. */
  async #round(): Promise<boolean> {
    const { at, id } = this.at
    const rows = await changed(this.#kernel.db, this.#owner, {
      at,
      id,
      most: this.#size,
      length: BODY,
    })
    const waiting = rows.findIndex(({ waits }) => waits && this.#looking.likeness)
    const round = (waiting === -1 ? rows : rows.slice(0, waiting)).map(comparable)
    if (round.length === 0) return false
    for (const pair of (await this.#pairsOf(round)).toSorted(byKept)) {
      // The next run begins with this round again: what it has proposed is settled then.
      if (this.#drafts.length === this.#looking.most) return false
      this.#take(pair)
    }
    const { memory } = round.at(-1)!
    this.at = { at: memory.updated_at, id: memory.id }
    return waiting === -1 && rows.length > 0
  }

  #take({ keep, drop, score }: Pair): void {
    if (this.#dropped.has(keep.id) || this.#dropped.has(drop.id)) return
    this.#dropped.add(drop.id)
    this.#drafts.push(draftOf(this.#kernel, keep, drop, score))
  }

  /** The pairs that the memories of a round make and that may be proposed. */
  async #pairsOf(round: readonly Comparable[]): Promise<Pair[]> {
    const { db, config } = this.#kernel
    await this.#reading.weights.weigh(round)
    const began = performance.now()
    const found = await this.#reading.sharing(round)
    this.#adapt(performance.now() - began)
    await this.#addNear(round, found)
    const couples = await this.#couples(round, found)
    const known = await knownOf(
      db,
      this.#owner,
      couples.map(({ a, b }) => [a.memory.id, b.memory.id]),
      this.#looking.likeness,
    )
    const { dedup_threshold } = config.gardener
    const likely: Pair[] = []
    for (const { a, b } of couples) {
      await this.#turns.give()
      const about = known.get(pairKey(a.memory.id, b.memory.id))
      if (!about) continue
      const rarity = this.#reading.weights.rarityIn(a.memory.project || b.memory.project)
      const pair = pairOf(a, b, rarity, about, dedup_threshold)
      if (pair) likely.push(pair)
    }
    const settled = await settledAmong(db, likely.map(keyAndEvidence))
    return likely.filter((pair) => !settled.has(keyAndEvidence(pair).key))
  }

  /** Each memory of the round with those it is compared with, a pair once in a run. */
  async #couples(round: readonly Comparable[], found: ReadonlyMap<number, readonly string[]>) {
    const others = await this.#reading.texts([...found.values()].flat())
    await this.#reading.weights.weigh(others)
    const byId = new Map(others.map((other) => [other.memory.id, other]))
    return round.flatMap((a, nth) =>
      (found.get(nth) ?? []).flatMap((id) => {
        const b = byId.get(id)
        const key = pairKey(a.memory.id, id)
        if (!b || this.#seen.has(key)) return []
        this.#seen.add(key)
        return [{ a, b }]
      }),
    )
  }

  /** By meaning, each is compared with all. */
  async #addNear(round: readonly Comparable[], found: Map<number, string[]>): Promise<void> {
    const { likeness, nearToo } = this.#looking
    if (!likeness || !nearToo) return
    const floor = likeness.cosine(this.#kernel.config.gardener.dedup_threshold)
    for (const [nth, { memory }] of round.entries()) {
      const ids = await this.#reading.near(memory.id, likeness.model, floor)
      found.set(nth, [...new Set([...(found.get(nth) ?? []), ...ids])])
    }
  }

  #adapt(ms: number): void {
    if (ms > ROUND_MS) this.#size = Math.max(1, Math.floor(this.#size / 2))
    else if (ms < ROUND_MS / 2) this.#size = Math.min(LARGEST_ROUND, this.#size + 2)
  }
}

/** The one that stays longest first: the others of its kind are dropped for it, and not one for the other. */
const byKept = (a: Pair, b: Pair): number =>
  b.keep.updated_at.getTime() - a.keep.updated_at.getTime() || (a.keep.id < b.keep.id ? -1 : 1)

/** A pair is proposed again once one of the two was changed. */
const keyAndEvidence = ({ keep, drop }: Pick<Pair, 'keep' | 'drop'>) => ({
  key: `merge:${pairKey(keep.id, drop.id)}`,
  evidence_at: keep.updated_at > drop.updated_at ? keep.updated_at : drop.updated_at,
})

const draftOf = (
  { clock }: Kernel,
  keep: Written,
  drop: Written,
  score: number,
): DraftOf<'merge'> => ({
  id: newId(clock.now()),
  kind: 'merge',
  ...keyAndEvidence({ keep, drop }),
  projects: [...new Set([keep.project, drop.project])],
  items: [keep.id, drop.id],
  pass: NAME,
  payload: { keep: briefOf(keep), drop: briefOf(drop), score },
})

export const briefOf = ({ id, name, project, kind, description }: Brief): Brief => ({
  ...{ id, name, project, kind, description },
})
