/**
 * Answers of the database that are given again for as long as nothing has changed that they say.
 *
 * A question to the embedded database costs two wake-ups of threads, as long as many a call itself. The same is
 * asked at the beginning of each call, and hardly ever has anything changed since the last one.
 */

/** Characters of questions and answers that are kept at most: some thousand callers. */
const MOST_CHARACTERS = 4_194_304
/** Longer ones are asked anew. */
const LONGEST = 65_536

interface Kept {
  answer: string
  /** By performance.now(). */
  untilMs: number
}

export class KeptAnswers {
  readonly #changed: () => number | null
  readonly #kept = new Map<string, Kept>()
  #characters = 0
  /** How often anything had changed when what is kept was asked for. */
  #changes: number | null = null

  /** @param changed how often what the answers say has changed, the last change included; null: nobody knows */
  constructor(changed: () => number | null) {
    this.#changed = changed
  }

  /**
   * Returns what `ask` found, now or earlier. It is the caller's own, and made of what JSON can say.
   *
   * @param question names it
   * @param lastsMs milliseconds for which an answer holds where nothing changes
   * @param ask null: there is no answer, and none is kept
   */
  async answer<T extends object | null>(
    question: readonly (string | undefined)[],
    lastsMs: (answer: NonNullable<T>) => number,
    ask: () => Promise<T>,
  ): Promise<T> {
    const changes = this.#changed()
    if (changes === null) return ask()
    if (changes !== this.#changes) this.#clear(changes)
    const name = JSON.stringify(question)
    const now = performance.now()
    const kept = this.#kept.get(name)
    if (kept && kept.untilMs > now) return JSON.parse(kept.answer) as T
    const found = await ask()
    // What changed while it was asked for may be missing in it.
    if (found && this.#changed() === changes) this.#keep(name, found, now + lastsMs(found))
    return found
  }

  #keep(name: string, found: object, untilMs: number): void {
    const answer = JSON.stringify(found)
    const characters = name.length + answer.length
    if (characters > LONGEST) return
    const before = this.#kept.get(name)
    if (before) this.#characters -= name.length + before.answer.length
    if (this.#characters + characters > MOST_CHARACTERS) this.#clear(this.#changes)
    this.#characters += characters
    this.#kept.set(name, { answer, untilMs })
  }

  #clear(changes: number | null): void {
    this.#kept.clear()
    this.#characters = 0
    this.#changes = changes
  }
}
