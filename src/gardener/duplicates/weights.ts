/**
 * How rare words are in a whole store: what many memories say tells little of any two.
 *
 * A pair is weighed by what all may read who may learn of it: the open projects, and its own project when that is
 * fenced. So no likeness tells what another fenced project holds.
 */
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Comparable } from './compare.ts'
import type { Rarity } from './likeness.ts'
import { rarityOf } from './rarity.ts'
import { standsFor } from './synonyms.ts'

/** Everything open, or the slug of a fenced project. */
type Place = string
const OPEN: Place = ''

const totals = scopeSql<object, { place: Place; passages: number }, OwnerScope>('gardener/passages')
const counted = scopeSql<
  { lexemes: string[] },
  { lexeme: string; place: Place; passages: number },
  OwnerScope
>('gardener/rarity')

/** Words that are remembered at a time. */
const KEPT = 200_000

export class Weights {
  readonly #db: Db
  readonly #owner: OwnerScope
  readonly #totals: ReadonlyMap<Place, number>
  readonly #weighed = new Set<string>()
  readonly #counts = new Map<string, number>()

  private constructor(db: Db, owner: OwnerScope, totals: ReadonlyMap<Place, number>) {
    this.#db = db
    this.#owner = owner
    this.#totals = totals
  }

  static async of(db: Db, owner: OwnerScope): Promise<Weights> {
    const rows = await totals(db, owner, {})
    return new Weights(db, owner, new Map(rows.map(({ place, passages }) => [place, passages])))
  }

  /** Reads how rare the words of these are. */
  async weigh(memories: readonly Comparable[]): Promise<void> {
    if (this.#counts.size > KEPT) {
      this.#counts.clear()
      this.#weighed.clear()
    }
    const all = new Set(memories.flatMap(({ features }) => features.lexemes))
    const lexemes = [...all].filter((lexeme) => !this.#weighed.has(lexeme))
    if (lexemes.length === 0) return
    for (const { lexeme, place, passages } of await counted(this.#db, this.#owner, { lexemes })) {
      this.#count(lexeme, place, passages)
    }
    for (const lexeme of lexemes) this.#weighed.add(lexeme)
  }

  /** A word that stands for others is as common as the commonest of them. */
  #count(lexeme: string, place: Place, passages: number): void {
    for (const word of [lexeme, standsFor(lexeme)]) {
      const key = keyOf(place, word)
      this.#counts.set(key, Math.max(this.#counts.get(key) ?? 0, passages))
    }
  }

  /** In how many passages a word stands that was weighed, for a memory or a pair of this project. */
  countOf(lexeme: string, project: string): number {
    return Math.max(
      1,
      sumIn(project, (place) => this.#counts.get(keyOf(place, lexeme))),
    )
  }

  /** For pairs of which one lies in this project, and both nowhere else but in the global one. */
  rarityIn(project: string): Rarity {
    const passages = sumIn(project, (place) => this.#totals.get(place))
    return rarityOf(passages, (lexeme) => this.countOf(lexeme, project))
  }
}

const keyOf = (place: Place, lexeme: string): string => `${place} ${lexeme}`

/** What is open, and the project's own when it is fenced: nothing is counted by an open one's name. */
const sumIn = (project: string, of: (place: Place) => number | undefined): number =>
  (of(OPEN) ?? 0) + (project === OPEN ? 0 : (of(project) ?? 0))
