/** Passages as numbers, in the order of their hashes, and how they are read by a model that is being made. */
import type { Gathered } from './gather.ts'
import { often } from './model.ts'

/** A sentence that is asked: where it stood, and the columns of its words. */
export interface Question {
  /** Its passage. */
  row: number
  item: number
  words: number[]
}

/** The passages as numbers: which words stand in each and how often, without the sentences that are asked. */
export interface Corpus {
  lexemes: string[]
  /** In how many passages each word stands. */
  spread: Int32Array
  starts: Int32Array
  columns: Int32Array<ArrayBuffer>
  counts: Uint16Array<ArrayBuffer>
  items: Int32Array
  /** Of each passage. */
  hashes: string[]
  questions: Question[]
}

/** Nothing is left of what was gathered: to keep it twice would take more memory than to learn from it. */
export function corpusOf(gathered: Gathered): Corpus {
  const { rows, numbers, sentences } = gathered
  rows.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  const lexemes = [...numbers.keys()].sort()
  const columns = new Int32Array(numbers.size)
  for (const [column, lexeme] of lexemes.entries()) columns[numbers.get(lexeme)!] = column
  const columnOf = (lexeme: string): number | undefined => columns[numbers.get(lexeme) ?? -1]
  const itemOf = new Map<string, number>()
  const size = rows.reduce((sum, { from, to }) => sum + to - from, 0)
  const corpus: Corpus = {
    lexemes,
    spread: new Int32Array(lexemes.length),
    starts: new Int32Array(rows.length + 1),
    columns: new Int32Array(size),
    counts: new Uint16Array(size),
    items: new Int32Array(rows.length),
    hashes: rows.map(({ hash }) => hash),
    questions: [],
  }
  let at = 0
  for (const [nth, row] of rows.entries()) {
    if (!itemOf.has(row.item)) itemOf.set(row.item, itemOf.size)
    corpus.items[nth] = itemOf.get(row.item)!
    const sentence = sentences.get(row.hash)
    const asked = new Map(sentence?.map(([lexeme, count]) => [columnOf(lexeme), count]))
    const { words, counts } = row.block
    const found = Array.from(
      words.subarray(row.from, row.to),
      (word, i) => [columns[word]!, counts[row.from + i]!] as const,
    )
    for (const [column, count] of found.sort(([a], [b]) => a - b)) {
      const left = count - (asked.get(column) ?? 0)
      if (left <= 0) continue
      corpus.spread[column]!++
      corpus.columns[at] = column
      corpus.counts[at++] = left
    }
    corpus.starts[nth + 1] = at
    if (sentence) {
      const words = sentence.flatMap(([lexeme]) => columnOf(lexeme) ?? [])
      corpus.questions.push({ row: nth, item: corpus.items[nth]!, words })
    }
  }
  gathered.clear()
  return corpus
}

/** Where each word of the corpus stands among the known ones; -1 for the others. */
export type Places = Int32Array

export function* wordsOfRow(
  { starts, columns, counts }: Corpus,
  places: Places,
  row: number,
): Generator<[place: number, weight: number]> {
  for (let at = starts[row]!; at < starts[row + 1]!; at++) {
    yield [places[columns[at]!]!, often(counts[at]!)]
  }
}
