/** Passages as they come from the database, kept as numbers until all are there. */

interface Row {
  hash: string
  item: string
  /** Numbers of its words, and how often each stands there. */
  words: Int32Array
  counts: Uint16Array
}

/** Words and how often each stands somewhere. */
export type Counted = readonly (readonly [lexeme: string, count: number])[]

export class Gathered {
  readonly rows: Row[] = []
  /** By the hash of the passage, a sentence of it that is asked and not learned. */
  readonly sentences = new Map<string, Counted>()
  readonly numbers = new Map<string, number>()

  /** @param words as the database writes them */
  add(hash: string, item: string, words: string): void {
    const entries = [...wordsStored(words)]
    const row: Row = {
      ...{ hash, item },
      words: new Int32Array(entries.length),
      counts: new Uint16Array(entries.length),
    }
    for (const [i, [lexeme, count]] of entries.entries()) {
      let number = this.numbers.get(lexeme)
      if (number === undefined) {
        number = this.numbers.size
        // A copy: a part of a string keeps the whole of it in memory.
        this.numbers.set(Buffer.from(lexeme).toString(), number)
      }
      row.words[i] = number
      row.counts[i] = count
    }
    this.rows.push(row)
  }

  ask(hash: string, sentence: Counted): void {
    this.sentences.set(hash, sentence)
  }
}

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
