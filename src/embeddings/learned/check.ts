/**
 * What a model is worth beside the words: asked sentences of the store's own passages, which neither the model nor the
 * words know of, does it find where they stood?
 */
import { similarityOf } from '../scale.ts'
import type { Corpus, Places, Question } from './corpus.ts'
import { readPlaces, type Bare, type Checked, type Knots } from './model.ts'

/** Weights that are tried: more than the last one has lost on one kind of store what it won on another. */
const WEIGHTS = [0, 0.05, 0.1, 0.15, 0.2]
/** Below so many questions chance decides, and the words answer alone. */
const FEWEST = 40
/** Of the words of a sentence, the part that another item may not have: what stands in several has no one right place. */
const SHARED = 0.8

/** What a search came to: the sum over all questions of 1 / rank, of first places and of places among five. */
interface Tally {
  reciprocal: number
  first: number
  five: number
}

export function check(
  corpus: Corpus,
  places: Places,
  bare: Bare,
  read: Float32Array,
  knots: Knots,
): Checked {
  const byWords = wordSearch(corpus)
  const byMeaning = meaningSearch(corpus, bare, read, knots)
  const empty = (): Tally => ({ reciprocal: 0, first: 0, five: 0 })
  const meaning = empty()
  const fused = WEIGHTS.map(empty)
  const questions = ofOneItem(corpus)
  for (const { item, words } of questions) {
    const vector = readPlaces(
      bare,
      words.map((column) => [places[column]!, 1]),
    )
    const said = byWords(words)
    const meant = vector ? byMeaning(vector) : new Float64Array(said.length)
    tally(meaning, meant, item)
    for (const [i, weight] of WEIGHTS.entries()) {
      const scores = said.map((score, at) => (1 - weight) * score + weight * meant[at]!)
      tally(fused[i]!, scores, item)
    }
  }
  const count = questions.length
  const share = ({ first, five }: Tally) => ({
    first: count === 0 ? 0 : first / count,
    five: count === 0 ? 0 : five / count,
  })
  const best = count < FEWEST ? 0 : bestOf(fused, count)
  return {
    weight: WEIGHTS[best]!,
    knots,
    questions: count,
    words: share(fused[0]!),
    meaning: share(meaning),
    fused: share(fused[best]!),
  }
}

/**
 * Of the mean of 1 / rank, what a weight may lose. The sentences that are asked stand among others of the same author in the
 * same words, which real questions do not have: what loses next to nothing on them wins on those.
 */
const NOTHING = 0.005

/** The greatest weight by which the words lose nothing. */
function bestOf(tallies: readonly Tally[], questions: number): number {
  const [words] = tallies
  return tallies.findLastIndex(
    ({ reciprocal }) => reciprocal >= words!.reciprocal - NOTHING * questions,
  )
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

/** The score of every item by its best passage, and as much by its whole. */
function meaningSearch(corpus: Corpus, { dims }: Bare, read: Float32Array, knots: Knots) {
  const items = 1 + corpus.items.reduce((most, item) => Math.max(most, item), -1)
  const wholes = new Float64Array(items * dims)
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
    const best = new Float64Array(items).fill(-1)
    for (let row = 0; row < corpus.items.length; row++) {
      let sum = 0
      for (let j = 0, from = row * dims; j < dims; j++) sum += vector[j]! * read[from + j]!
      const item = corpus.items[row]!
      if (sum > best[item]!) best[item] = sum
    }
    return best.map((cosine, item) => {
      let sum = 0
      for (let j = 0, from = item * dims; j < dims; j++) sum += vector[j]! * wholes[from + j]!
      return (similarityOf(knots, cosine) + similarityOf(knots, sum / lengths[item]!)) / 2
    })
  }
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
