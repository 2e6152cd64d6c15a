/**
 * One scale for every model: what 95 of 100 pairs of unrelated texts stay below, and what 95 of 100 texts reach that
 * are compared with a lightly edited copy of themselves.
 */
import { wordsOfRow, type Corpus, type Places } from './corpus.ts'
import { readPlaces, type Bare, type Knots } from './model.ts'
import { drawer } from './random.ts'

const UNRELATED = 0.3
const EDITED = 0.88
const PAIRS = 4_000
const COPIES = 400
/** Of the words of an edited copy, those that are others. */
const CHANGED = 0.1
const SEED = 3

/** @param read the vectors of all passages, one after the other */
export function calibrated(corpus: Corpus, places: Places, bare: Bare, read: Float32Array): Knots {
  const height = corpus.starts.length - 1
  const draw = drawer(SEED)
  const any = (below: number): number => Math.floor(draw() * below)
  const { dims } = bare
  const unrelated = unrelatedPairs(corpus, read, dims, any)

  const copies: number[] = []
  for (let i = 0; i < COPIES; i++) {
    const [row, other] = [any(height), any(height)]
    const foreign = [...wordsOfRow(corpus, places, other)]
    const words = [...wordsOfRow(corpus, places, row)].map(([place, weight]) =>
      draw() < CHANGED && foreign.length > 0
        ? foreign[any(foreign.length)]!
        : ([place, weight] as const),
    )
    const copy = readPlaces(bare, words)
    if (!copy) continue
    let sum = 0
    for (let j = 0; j < dims; j++) sum += copy[j]! * read[row * dims + j]!
    copies.push(sum)
  }
  return knotsOf(unrelated, copies)
}

/** The cosines of pairs of passages that are of different items. */
export function unrelatedPairs(
  { items }: Pick<Corpus, 'items'>,
  read: Float32Array,
  dims: number,
  any: (below: number) => number,
): number[] {
  const unrelated: number[] = []
  for (let i = 0; i < PAIRS; i++) {
    const [a, b] = [any(items.length), any(items.length)]
    if (items[a] === items[b]) continue
    let sum = 0
    for (let j = 0; j < dims; j++) sum += read[a * dims + j]! * read[b * dims + j]!
    unrelated.push(sum)
  }
  return unrelated
}

/** Between the two ends: nothing is what unrelated texts have on average, and 1 is the same. */
export function knotsOf(unrelated: number[], copies: number[]): Knots {
  const mean = unrelated.reduce((sum, one) => sum + one, 0) / Math.max(1, unrelated.length)
  const apart = Math.max(part(unrelated, 0.95) ?? 0, mean + 0.01)
  // A model that cannot tell copies from strangers finds nothing near.
  const edited = Math.min(0.999, Math.max(part(copies, 0.05) ?? 0, apart + 0.01))
  return [
    [mean, 0],
    [apart, UNRELATED],
    [edited, EDITED],
    [1, 1],
  ]
}

/** What this part of the numbers lies below. */
function part(numbers: number[], share: number): number | undefined {
  numbers.sort((a, b) => a - b)
  return numbers[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]
}
