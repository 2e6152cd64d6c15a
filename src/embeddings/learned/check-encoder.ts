/** What a configured model is worth beside the words, and how its cosines are told. */
import { similarityOf, untriedWeight } from '../scale.ts'
import { knotsOf, unrelatedPairs } from './calibrate.ts'
import { corpusOf, type Corpus, type Question } from './corpus.ts'
import type { Gathered } from './gather.ts'
import { FEWEST_QUESTIONS, knownItems, scoresOf, type Tally } from './known-items.ts'
import type { Checked, Knots } from './model.ts'
import { drawer } from './random.ts'

/** What the model reads, by the hash of a passage. */
export interface Told {
  passages: Map<string, Float32Array>
  /** The sentence that is asked, and the passage without it. */
  sentences: Map<string, Float32Array>
  rests: Map<string, Float32Array>
  /** The passage, lightly edited. */
  copies: Map<string, Float32Array>
}

const SEED = 5
/** Never all: a name or a number that is asked for is found by words. */
const WEIGHTS = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]

/** @param gathered passages that have a vector, and at least one */
export function checkEncoder(gathered: Gathered, told: Told): Checked {
  const corpus = corpusOf(gathered)
  const dims = told.passages.get(corpus.hashes[0]!)!.length
  const read = new Float32Array(corpus.hashes.length * dims)
  for (const [row, hash] of corpus.hashes.entries()) read.set(told.passages.get(hash)!, row * dims)
  const draw = drawer(SEED)
  const any = (below: number): number => Math.floor(draw() * below)
  const copies = [...told.copies].map(([hash, copy]) => dot(copy, told.passages.get(hash)!, 0))
  const unrelated = unrelatedPairs(corpus, read, dims, any)
  const knots = knotsOf(unrelated, copies)
  for (const { row } of corpus.questions) {
    const rest = told.rests.get(corpus.hashes[row]!)
    if (rest) read.set(rest, row * dims)
  }
  const search = meaningSearch(corpus, read, knots)
  const meant = ({ row }: Question) => {
    const vector = told.sentences.get(corpus.hashes[row]!)
    return vector && search(vector)
  }
  const found = { ...knownItems(corpus, WEIGHTS, meant, trusted), knots }
  if (found.questions >= FEWEST_QUESTIONS) return found
  // Short texts give no sentence that could be asked without them.
  return { ...found, weight: untriedWeight(deviationOf(unrelated), dims) }
}

/** None where nothing is compared: in passages of one item alone. */
function deviationOf(numbers: readonly number[]): number {
  if (numbers.length === 0) return 0
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  return Math.sqrt(numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / numbers.length)
}

function dot(vector: Float32Array, read: Float32Array, from: number): number {
  let sum = 0
  for (let j = 0; j < vector.length; j++) sum += vector[j]! * read[from + j]!
  return sum
}

/** The score of every item by its best passage. The answer stands until the next question. */
function meaningSearch(corpus: Corpus, read: Float32Array, knots: Knots) {
  const { items } = corpus
  const nearest = scoresOf(corpus)
  return (vector: Float32Array): Float64Array => {
    nearest.fill(-1)
    for (let row = 0; row < items.length; row++) {
      const cosine = dot(vector, read, row * vector.length)
      if (cosine > nearest[items[row]!]!) nearest[items[row]!] = cosine
    }
    for (const [item, cosine] of nearest.entries()) nearest[item] = similarityOf(knots, cosine)
    return nearest
  }
}

/**
 * Of the mean of 1 / rank: what it wins at least, or that part of all there is to win, or is of no use; and what it may lose of
 * the most that it wins.
 */
const [WINS, OF_ALL, LOSES] = [0.03, 0.25, 0.02]

/**
 * The greatest weight by which next to the most is found. What reads texts by their words alone wins a little here, where a
 * sentence stands among others of the same author in the same words, and loses on real questions. For the same reason what
 * understands them wins less here than it does there.
 */
function trusted(tallies: readonly Tally[], questions: number): number {
  const means = tallies.map(({ reciprocal }) => reciprocal / questions)
  const most = Math.max(...means)
  const [words = 0] = means
  if (most < words + Math.min(WINS, OF_ALL * (1 - words))) return 0
  return means.findLastIndex((mean) => mean >= most - LOSES)
}
