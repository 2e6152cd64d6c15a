/** Which memories are worth comparing with those of a round. */
import type { Db } from '../../kernel/kernel.ts'
import { Turns } from '../../kernel/turns.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { comparable, type Comparable } from './compare.ts'
import type { Written } from './features.ts'
import { Weights } from './weights.ts'

/** As much of a body as is read, in characters. */
export const BODY = 8_000
/** Of one memory: words that are looked for, memories that each of them finds, memories that it is compared with. */
const WORDS = 8
const EACH = 40
const COMPARED = 15
/** A word in more passages than this chooses nothing. */
const COMMON = 500

const sharing = scopeSql<
  { nth: number[]; ids: string[]; projects: string[]; lexemes: string[]; worths: number[] } & {
    each: number
    most: number
  },
  { nth: number; id: string },
  OwnerScope
>('gardener/sharing')
const near = scopeSql<
  { id: string; model: number; near: number; floor: number; most: number },
  { id: string },
  OwnerScope
>('gardener/near')
const texts = scopeSql<{ ids: string[]; length: number }, Written, OwnerScope>(
  'gardener/comparable',
)

/** Memories of which the text is remembered at a time. */
const TEXTS_KEPT = 2_000

/** What a run has read already. */
export class Reading {
  readonly weights: Weights
  readonly #db: Db
  readonly #owner: OwnerScope
  readonly #texts = new Map<string, Comparable>()

  private constructor(db: Db, owner: OwnerScope, weights: Weights) {
    this.#db = db
    this.#owner = owner
    this.weights = weights
  }

  static async of(db: Db, owner: OwnerScope): Promise<Reading> {
    return new Reading(db, owner, await Weights.of(db, owner))
  }

  /** The memories that share rare words with each of these, by its place among them. */
  async sharing(round: readonly Comparable[]): Promise<Map<number, string[]>> {
    const asked = round.flatMap(({ memory: { id, project }, features }, nth) =>
      this.#rarest(features.lexemes, project).map((lexeme) => ({ nth, id, project, lexeme })),
    )
    const rows = await sharing(this.#db, this.#owner, {
      nth: asked.map(({ nth }) => nth),
      ids: asked.map(({ id }) => id),
      projects: asked.map(({ project }) => project),
      lexemes: asked.map(({ lexeme }) => lexeme),
      worths: asked.map(({ lexeme, project }) => this.weights.rarityIn(project)(lexeme)),
      each: EACH,
      most: COMPARED,
    })
    const found = Map.groupBy(rows, ({ nth }) => nth)
    return new Map([...found].map(([nth, near]) => [nth, near.map(({ id }) => id)]))
  }

  #rarest(lexemes: readonly string[], project: string): string[] {
    const countOf = (lexeme: string) => this.weights.countOf(lexeme, project)
    return lexemes
      .filter((lexeme) => countOf(lexeme) <= COMMON)
      .toSorted((a, b) => countOf(a) - countOf(b) || b.length - a.length || (a < b ? -1 : 1))
      .slice(0, WORDS)
  }

  /** The memories nearest in meaning to one. */
  async near(id: string, model: number, floor: number): Promise<string[]> {
    const rows = await near(this.#db, this.#owner, { id, model, near: 60, floor, most: COMPARED })
    return rows.map(({ id }) => id)
  }

  /** What these say, of those that still hold. */
  async texts(ids: readonly string[]): Promise<Comparable[]> {
    if (this.#texts.size > TEXTS_KEPT) this.#texts.clear()
    const unread = [...new Set(ids)].filter((id) => !this.#texts.has(id))
    if (unread.length > 0) {
      const turns = new Turns()
      for (const memory of await texts(this.#db, this.#owner, { ids: unread, length: BODY })) {
        await turns.give()
        this.#texts.set(memory.id, comparable(memory))
      }
    }
    return ids.flatMap((id) => this.#texts.get(id) ?? [])
  }
}
