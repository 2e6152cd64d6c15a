/**
 * What a model is worth beside the words: asked sentences of the store's own passages, which neither the model nor the
 * words know of, does it find where they stood?
 */
import type { Corpus, Question } from './corpus.ts'
import type { Checked } from './model.ts'

/** Below so many questions chance decides, and the words answer alone. */
export const FEWEST_QUESTIONS = 40
/** Of the words of a sentence, the part that another item may not have: what stands in several has no one right place. */
const SHARED = 0.8

/** What a search came to: the sum over all questions of 1 / rank, of first places and of places among five. */
export interface Tally {
  reciprocal: number
  first: number
  five: number
}

/** Of the mean of 1 / rank, what a weight may lose and be as good. */
export const NOTHING = 0.005

/**
 * Asks every question by words, by meaning, and by both with each of these weights.
 *
 * @param weights the first one is 0
 * @param meant how near each item is to a question, from 0 to 1; undefined when the model knows too little of it
 * @param choose which of the weights it is
 */
export function knownItems(
  corpus: Corpus,
  weights: readonly number[],
  meant: (question: Question) => Float64Array | undefined,
  choose: (fused: readonly Tally[], questions: number) => number,
): Omit<Checked, 'knots'> {
  const stands = placesAsked(corpus)
  const byWords = wordSearch(corpus, stands)
  const empty = (): Tally => ({ reciprocal: 0, first: 0, five: 0 })
  const meaning = empty()
  const fused = weights.map(empty)
  const questions = ofOneItem(corpus, stands)
  const [nothing, both] = [scoresOf(corpus), scoresOf(corpus)]
  for (const question of questions) {
    const { item, words } = question
    const said = byWords(words)
    const near = meant(question) ?? nothing
    tally(meaning, near, item)
    for (const [i, weight] of weights.entries()) {
      for (const [at, score] of said.entries()) {
        both[at] = (1 - weight) * score + weight * near[at]!
      }
      tally(fused[i]!, both, item)
    }
  }
  const count = questions.length
  const share = ({ first, five }: Tally) => ({
    first: count === 0 ? 0 : first / count,
    five: count === 0 ? 0 : five / count,
  })
  const best = count < FEWEST_QUESTIONS ? 0 : choose(fused, count)
  return {
    weight: weights[best]!,
    questions: count,
    words: share(fused[0]!),
    meaning: share(meaning),
    fused: share(fused[best]!),
  }
}

/** Room for the score of each item. */
export const scoresOf = ({ items }: Pick<Corpus, 'items'>): Float64Array =>
  new Float64Array(1 + items.reduce((most, item) => Math.max(most, item), -1))

/** The sentences that no other item has in nearly the same words, as a form or a phrase of every day would be. */
function ofOneItem({ questions, items }: Corpus, stands: ReadonlyMap<number, Stands>): Question[] {
  const shared = new Uint16Array(items.length)
  return questions.filter(({ item, words }) => {
    shared.fill(0)
    for (const column of words) {
      for (const row of stands.get(column)!.rows) if (items[row] !== item) shared[row]!++
    }
    return shared.every((count) => count < SHARED * words.length)
  })
}

/** An item that is not found has no place; one of several alike has that in their middle. */
function tally(into: Tally, scores: Float64Array, item: number): void {
  const own = scores[item]!
  if (own <= 0) return
  let [better, alike] = [0, 0]
  for (const score of scores) {
    if (score > own) better++
    else if (score === own) alike++
  }
  const rank = better + (alike + 1) / 2
  into.reciprocal += 1 / rank
  if (rank < 2) into.first++
  if (rank < 6) into.five++
}

/** Where a word stands: rows, and how often in each. */
interface Stands {
  rows: Int32Array
  counts: Uint16Array
}

/**
 * As recall_words scores: BM25 of passages, and an item by its best with a part of the others. The answer stands
 * until the next question.
 */
function wordSearch(
  corpus: Corpus,
  stands: ReadonlyMap<number, Stands>,
): (words: readonly number[]) => Float64Array {
  const lengths = lengthsOf(corpus)
  const height = lengths.length
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, height)
  const rowsOfItem = rowsByItem(corpus)
  const [scores, out] = [new Float64Array(height), scoresOf(corpus)]
  return (words) => {
    scores.fill(0)
    let most = 1e-9
    for (const column of words) {
      const { rows, counts } = stands.get(column)!
      const rarity = Math.log(1 + (height - rows.length + 0.5) / (rows.length + 0.5)) ** 0.85
      most += 2.6 * rarity
      for (const [i, row] of rows.entries()) {
        const count = counts[i]!
        const part = (2.6 * count) / (count + 1.6 * (0.25 + (0.75 * lengths[row]!) / usual))
        scores[row]! += rarity * part
      }
    }
    for (const item of out.keys()) {
      const found = rowsOfItem(item).map((row) => scores[row]!)
      out[item] = Math.min(1, ofItem(found.toSorted((a, b) => b - a)) / most)
    }
    return out
  }
}

/** @param scores of its passages, the best first */
const ofItem = (scores: Float64Array): number =>
  scores.reduce((all, score, nth) => all + (nth === 0 ? score : (0.3 * score) / nth))

/** Where the words of all questions stand; those that stand nowhere too. */
function placesAsked({ questions, spread, starts, columns, counts }: Corpus): Map<number, Stands> {
  const asked = new Set(questions.flatMap(({ words }) => words))
  const stands = new Map<number, Stands & { size: number }>()
  for (const column of asked) {
    const size = spread[column]!
    stands.set(column, { rows: new Int32Array(size), counts: new Uint16Array(size), size: 0 })
  }
  for (let row = 0; row < starts.length - 1; row++) {
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      const all = stands.get(columns[at]!)
      if (!all) continue
      all.rows[all.size] = row
      all.counts[all.size++] = counts[at]!
    }
  }
  return stands
}

/** How many words each passage has. */
const lengthsOf = ({ items, starts, counts }: Corpus): Float64Array =>
  Float64Array.from(items, (_, row) => {
    let length = 0
    for (let at = starts[row]!; at < starts[row + 1]!; at++) length += counts[at]!
    return length
  })

/** The passages of each item, as numbers of which scores can be made. */
function rowsByItem(corpus: Corpus): (item: number) => Float64Array {
  const { items } = corpus
  const starts = new Int32Array(scoresOf(corpus).length + 1)
  for (const item of items) starts[item + 1]!++
  for (let item = 1; item < starts.length; item++) starts[item]! += starts[item - 1]!
  const rows = new Float64Array(items.length)
  const ends = starts.slice()
  for (const [row, item] of items.entries()) rows[ends[item]!++] = row
  return (item) => rows.subarray(starts[item]!, starts[item + 1]!)
}
