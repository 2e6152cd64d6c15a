/** How rare words are, as far as the caller may read: what many memories say tells little of any two. */
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type AnyScope } from '../../projects/projects.ts'
import type { Comparable } from './compare.ts'
import type { Rarity } from './likeness.ts'
import { standsFor } from './synonyms.ts'

const total = scopeSql<object, { passages: number }, AnyScope>('gardener/passages')
const counted = scopeSql<{ lexemes: string[] }, { lexeme: string; passages: number }, AnyScope>(
  'gardener/rarity',
)

/** Words that are remembered at a time. */
const KEPT = 200_000
/** In a store of fewer passages rarity says little. */
const FEWEST = 50

export class Weights {
  readonly #db: Db
  readonly #scope: AnyScope
  readonly #passages: number
  readonly #counts = new Map<string, number>()

  private constructor(db: Db, scope: AnyScope, passages: number) {
    this.#db = db
    this.#scope = scope
    this.#passages = Math.max(passages, FEWEST)
  }

  static async of(db: Db, scope: AnyScope): Promise<Weights> {
    const [row] = await total(db, scope, {})
    return new Weights(db, scope, row?.passages ?? 0)
  }

  /** Reads how rare the words of these are. */
  async weigh(memories: readonly Comparable[]): Promise<void> {
    if (this.#counts.size > KEPT) this.#counts.clear()
    const all = new Set(memories.flatMap(({ features }) => features.lexemes))
    const lexemes = [...all].filter((lexeme) => !this.#counts.has(lexeme))
    if (lexemes.length === 0) return
    for (const { lexeme, passages } of await counted(this.#db, this.#scope, { lexemes })) {
      this.#count(lexeme, passages)
    }
    for (const lexeme of lexemes) this.#count(lexeme, 1)
  }

  /** A word that stands for others is as common as the commonest of them. */
  #count(lexeme: string, passages: number): void {
    for (const word of [lexeme, standsFor(lexeme)]) {
      this.#counts.set(word, Math.max(this.countOf(word), passages))
    }
  }

  /** In how many passages a word stands that was weighed. */
  countOf(lexeme: string): number {
    return this.#counts.get(lexeme) ?? 1
  }

  readonly rarity: Rarity = (lexeme) => Math.log(1 + this.#passages / this.countOf(lexeme))
}
