/** Passages as they come from the database, kept as numbers until all are there. */

interface Row {
  hash: string
  item: string
  /** Where its words stand, from the one entry up to the other. */
  block: Block
  from: number
  to: number
}

/** Numbers of words, and how often each stands in its passage. Of many passages: a small array costs as much as it holds. */
interface Block {
  words: Int32Array<ArrayBuffer>
  counts: Uint16Array<ArrayBuffer>
}

const BLOCK = 2 ** 18

/** Words and how often each stands somewhere. */
export type Counted = readonly (readonly [lexeme: string, count: number])[]

export class Gathered {
  readonly rows: Row[] = []
  /** By the hash of the passage, a sentence of it that is asked and not learned. */
  readonly sentences = new Map<string, Counted>()
  readonly numbers = new Map<string, number>()

  #block: Block = blockOf(0)
  /** Entries of the block that are taken. */
  #taken = 0

  /** @param words as the database writes them */
  add(hash: string, item: string, words: string): void {
    const entries = [...wordsStored(words)]
    if (this.#taken + entries.length > this.#block.words.length) {
      this.#block = blockOf(Math.max(BLOCK, entries.length))
      this.#taken = 0
    }
    const block = this.#block
    const from = this.#taken
    for (const [lexeme, count] of entries) {
      let number = this.numbers.get(lexeme)
      if (number === undefined) {
        number = this.numbers.size
        // A copy: a part of a string keeps the whole of it in memory.
        this.numbers.set(Buffer.from(lexeme).toString(), number)
      }
      block.words[this.#taken] = number
      block.counts[this.#taken++] = count
    }
    this.rows.push({ hash, item, block, from, to: this.#taken })
  }

  /** Forgets all, and gives the memory back at once: what is collected some time later stands beside what comes next. */
  clear(): void {
    for (const { words, counts } of new Set(this.rows.map(({ block }) => block))) {
      words.buffer.transfer(0)
      counts.buffer.transfer(0)
    }
    this.rows.length = 0
    this.#block = blockOf(0)
    this.#taken = 0
    for (const known of [this.numbers, this.sentences]) known.clear()
  }

  ask(hash: string, sentence: Counted): void {
    this.sentences.set(hash, sentence)
  }
}

const blockOf = (size: number): Block => ({
  words: new Int32Array(size),
  counts: new Uint16Array(size),
})

const ENTRY = /'((?:[^'\\]|''|\\\\)*)'(?::([\d,A-D]+))?/g

/** The lexemes of a tsvector and how many positions each has. */
export function* wordsStored(text: string): Generator<[lexeme: string, count: number]> {
  for (const [, quoted = '', places = ''] of text.matchAll(ENTRY)) {
    const lexeme = /['\\]/.test(quoted)
      ? quoted.replaceAll(/''|\\\\/g, (twice) => twice[0]!)
      : quoted
    let count = 1
    for (let i = 0; i < places.length; i++) if (places.charCodeAt(i) === 44) count++
    yield [lexeme, count]
  }
}
