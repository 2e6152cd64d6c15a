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
  const byWords = wordSearch(corpus)
  const empty = (): Tally => ({ reciprocal: 0, first: 0, five: 0 })
  const meaning = empty()
  const fused = weights.map(empty)
  const questions = ofOneItem(corpus)
  for (const question of questions) {
    const { item, words } = question
    const said = byWords(words)
    const near = meant(question) ?? new Float64Array(said.length)
    tally(meaning, near, item)
    for (const [i, weight] of weights.entries()) {
      const scores = said.map((score, at) => (1 - weight) * score + weight * near[at]!)
      tally(fused[i]!, scores, item)
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

/** The sentences that no other item has in nearly the same words, as a form or a phrase of every day would be. */
function ofOneItem({ questions, items, starts, columns }: Corpus): Question[] {
  const asked = new Set(questions.flatMap(({ words }) => words))
  const stands = new Map<number, number[]>()
  for (let row = 0; row < items.length; row++) {
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      const column = columns[at]!
      if (!asked.has(column)) continue
      const rows = stands.get(column)
      if (rows) rows.push(row)
      else stands.set(column, [row])
    }
  }
  return questions.filter(({ item, words }) => {
    const shared = new Map<number, number>()
    for (const column of words) {
      for (const row of stands.get(column) ?? []) {
        if (items[row] !== item) shared.set(row, (shared.get(row) ?? 0) + 1)
      }
    }
    return [...shared.values()].every((count) => count < SHARED * words.length)
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

/** As sql/recall/words.sql scores: BM25 of passages, and an item by its best with a part of the others. */
function wordSearch(corpus: Corpus): (words: readonly number[]) => Float64Array {
  const asked = new Set(corpus.questions.flatMap(({ words }) => words))
  const height = corpus.items.length
  const items = 1 + corpus.items.reduce((most, item) => Math.max(most, item), -1)
  const lengths = new Float64Array(height)
  const stands = new Map<number, [row: number, count: number][]>()
  for (let row = 0; row < height; row++) {
    for (let at = corpus.starts[row]!; at < corpus.starts[row + 1]!; at++) {
      const [column, count] = [corpus.columns[at]!, corpus.counts[at]!]
      lengths[row]! += count
      if (!asked.has(column)) continue
      const all = stands.get(column)
      if (all) all.push([row, count])
      else stands.set(column, [[row, count]])
    }
  }
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, height)
  return (words) => {
    const scores = new Map<number, number>()
    let most = 1e-9
    for (const column of words) {
      const rows = stands.get(column) ?? []
      const rarity = Math.log(1 + (height - rows.length + 0.5) / (rows.length + 0.5)) ** 0.85
      most += 2.6 * rarity
      for (const [row, count] of rows) {
        const part = (2.6 * count) / (count + 1.6 * (0.25 + (0.75 * lengths[row]!) / usual))
        scores.set(row, (scores.get(row) ?? 0) + rarity * part)
      }
    }
    const byItem = Map.groupBy(scores, ([row]) => corpus.items[row]!)
    const out = new Float64Array(items)
    for (const [item, rows] of byItem) {
      const sorted = rows.map(([, score]) => score).sort((a, b) => b - a)
      const sum = sorted.reduce(
        (all, score, nth) => all + (nth === 0 ? score : (0.3 * score) / nth),
      )
      out[item] = Math.min(1, sum / most)
    }
    return out
  }
}
