/** What a learned model is worth beside the words. */
import { similarityOf } from '../scale.ts'
import type { Corpus, Places } from './corpus.ts'
import { knownItems, NOTHING, scoresOf, type Tally } from './known-items.ts'
import { readPlaces, type Bare, type Checked, type Knots } from './model.ts'

/** Weights that are tried: more than the last one has lost on one kind of store what it won on another. */
const WEIGHTS = [0, 0.05, 0.1, 0.15, 0.2]

export function check(
  corpus: Corpus,
  places: Places,
  bare: Bare,
  read: Float32Array,
  knots: Knots,
): Checked {
  const byMeaning = meaningSearch(corpus, bare, read, knots)
  const found = knownItems(
    corpus,
    WEIGHTS,
    ({ words }) => {
      const vector = readPlaces(
        bare,
        words.map((column) => [places[column]!, 1]),
      )
      return vector && byMeaning(vector)
    },
    greatest,
  )
  return { ...found, knots }
}

/**
 * The greatest weight by which the words lose nothing. The sentences that are asked stand among others of the same author in
 * the same words, which real questions do not have: what loses next to nothing on them wins on those.
 */
function greatest(tallies: readonly Tally[], questions: number): number {
  const [words] = tallies
  return tallies.findLastIndex(
    ({ reciprocal }) => reciprocal >= words!.reciprocal - NOTHING * questions,
  )
}

/** The score of every item by its best passage, and as much by its whole. The answer stands until the next question. */
function meaningSearch(corpus: Corpus, { dims }: Bare, read: Float32Array, knots: Knots) {
  const best = scoresOf(corpus)
  const items = best.length
  const wholes = new Float32Array(items * dims)
  for (let row = 0; row < corpus.items.length; row++) {
    const to = corpus.items[row]! * dims
    for (let j = 0; j < dims; j++) wholes[to + j]! += read[row * dims + j]!
  }
  const lengths = Float64Array.from({ length: items }, (_, item) => {
    let square = 0
    for (let j = 0; j < dims; j++) square += wholes[item * dims + j]! ** 2
    return Math.sqrt(square) || 1
  })
  return (vector: readonly number[]): Float64Array => {
    best.fill(-1)
    for (let row = 0; row < corpus.items.length; row++) {
      let sum = 0
      for (let j = 0, from = row * dims; j < dims; j++) sum += vector[j]! * read[from + j]!
      const item = corpus.items[row]!
      if (sum > best[item]!) best[item] = sum
    }
    for (const [item, cosine] of best.entries()) {
      let sum = 0
      for (let j = 0, from = item * dims; j < dims; j++) sum += vector[j]! * wholes[from + j]!
      best[item] = (similarityOf(knots, cosine) + similarityOf(knots, sum / lengths[item]!)) / 2
    }
    return best
  }
}
