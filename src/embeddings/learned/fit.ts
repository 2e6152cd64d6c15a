/** Learns a model from passages: the decomposition of their words, its scale, and what it is worth beside the words. */
import { calibrated } from './calibrate.ts'
import { check } from './check.ts'
import { corpusOf, wordsOfRow, type Corpus, type Places } from './corpus.ts'
import type { Gathered } from './gather.ts'
import { often, readPlaces, type Bare, type Learned } from './model.ts'
import { normals } from './random.ts'
import { decompose, type Rows } from './svd.ts'

const SEED = 1
const DIMS = 128
/** A word stands in two passages at least, and in a fifth of them at most. */
const FEWEST = 2
const COMMON = 0.2
/** The commonest words that are kept; more would take more memory than they find. */
const MOST_WORDS = 100_000
/** Int8 cells. */
const STEPS = 127

/** The same passages give the same model, bit for bit, in whatever order they come. Takes what was gathered. */
export function fit(gathered: Gathered): Learned {
  const count = gathered.rows.length
  const corpus = corpusOf(gathered)
  const known = knownWords(corpus, count)
  const bare = bareOf(corpus, known, count)
  const { dims } = bare
  const places = placesOf(known, corpus.lexemes.length)
  bare.mean = meanOf(readAll(corpus, places, bare), dims)
  const read = readAll(corpus, places, bare)
  const knots = calibrated(corpus, places, bare, read)
  const learned = {
    ...bare,
    lexemes: known.map(({ column }) => corpus.lexemes[column]!),
    passages: count,
    checked: check(corpus, places, bare, read, knots),
  }
  // A model is copied on its way to whoever asked, and there is to be room for it.
  for (const { buffer } of [corpus.columns, corpus.counts, read]) buffer.transfer(0)
  return learned
}

/** The vectors of the words, and no mean yet. */
function bareOf(corpus: Corpus, known: Known[], count: number): Bare {
  const rows = weighed(corpus, known, count)
  const { vectors, values } = decompose(rows, Math.min(DIMS, Math.floor(count / 4)), SEED)
  const dims = values.length
  turnAtRandom(vectors, dims)
  for (const [at, { weight }] of known.entries()) {
    for (let j = 0; j < dims; j++) vectors[at * dims + j]! *= weight
  }
  return { dims, ...shortened(vectors, dims), mean: new Float32Array(dims) }
}

interface Known {
  column: number
  weight: number
}

function knownWords({ spread }: Corpus, passages: number): Known[] {
  const kept = [...spread.keys()].filter(
    (column) => spread[column]! >= FEWEST && spread[column]! <= COMMON * passages,
  )
  if (kept.length > MOST_WORDS) {
    kept.sort((a, b) => spread[b]! - spread[a]! || a - b)
    kept.length = MOST_WORDS
    kept.sort((a, b) => a - b)
  }
  return kept.map((column) => ({ column, weight: Math.log(passages / spread[column]!) }))
}

function placesOf(known: readonly Known[], words: number): Places {
  const places = new Int32Array(words).fill(-1)
  for (const [at, { column }] of known.entries()) places[column] = at
  return places
}

/** Rows of length 1. */
function weighed(
  { starts, columns, counts, lexemes }: Corpus,
  known: Known[],
  height: number,
): Rows {
  const places = placesOf(known, lexemes.length)
  const weights = Float64Array.from(known, ({ weight }) => weight)
  const most = counts.reduce((most, count) => Math.max(most, count), 0)
  const oftens = Float64Array.from({ length: most + 1 }, (_, count) => often(count))
  const lengths = new Float64Array(height)
  for (let row = 0; row < height; row++) {
    let square = 0
    for (let entry = starts[row]!; entry < starts[row + 1]!; entry++) {
      const place = places[columns[entry]!]!
      if (place >= 0) square += (oftens[counts[entry]!]! * weights[place]!) ** 2
    }
    lengths[row] = Math.sqrt(square)
  }
  return {
    ...{ starts, width: known.length },
    column: (entry) => places[columns[entry]!]!,
    value: (entry, column, row) => (oftens[counts[entry]!]! * weights[column]!) / lengths[row]!,
  }
}

/**
 * The same angles along other axes: a decomposition says most along its first ones, and the signs of a vector,
 * by which many are compared at once, are to say much of each.
 */
function turnAtRandom(vectors: Float32Array, dims: number): void {
  const axes = randomAxes(dims)
  const sum = new Float64Array(dims)
  for (let from = 0; from < vectors.length; from += dims) {
    sum.fill(0)
    for (let i = 0; i < dims; i++) {
      const [value, axis] = [vectors[from + i]!, axes[i]!]
      for (let j = 0; j < dims; j++) sum[j]! += value * axis[j]!
    }
    vectors.set(sum, from)
  }
}

/** By Gram and Schmidt, of normal numbers. */
function randomAxes(dims: number): Float64Array[] {
  const draw = normals(SEED + 1)
  const axes: Float64Array[] = []
  while (axes.length < dims) {
    const axis = Float64Array.from({ length: dims }, draw)
    for (let turn = 0; turn < 2; turn++) {
      for (const other of axes) {
        const shared = axis.reduce((sum, cell, i) => sum + cell * other[i]!, 0)
        for (let i = 0; i < dims; i++) axis[i]! -= shared * other[i]!
      }
    }
    const length = Math.hypot(...axis)
    axes.push(axis.map((cell) => cell / length))
  }
  return axes
}

function shortened(words: Float32Array, dims: number): Pick<Learned, 'cells' | 'steps'> {
  const steps = new Float32Array(dims === 0 ? 0 : words.length / dims)
  const cells = new Int8Array(words.length)
  for (let row = 0; row < steps.length; row++) {
    let most = 0
    for (let j = 0; j < dims; j++) most = Math.max(most, Math.abs(words[row * dims + j]!))
    steps[row] = most / STEPS
    if (most === 0) continue
    for (let j = 0; j < dims; j++) {
      cells[row * dims + j] = Math.round(words[row * dims + j]! / steps[row]!)
    }
  }
  return { cells, steps }
}

/** The vectors of all passages, one after the other; those of too few words are 0. */
function readAll(corpus: Corpus, places: Places, bare: Bare): Float32Array<ArrayBuffer> {
  const height = corpus.starts.length - 1
  const out = new Float32Array(height * bare.dims)
  for (let row = 0; row < height; row++) {
    const vector = readPlaces(bare, wordsOfRow(corpus, places, row))
    if (vector) out.set(vector, row * bare.dims)
  }
  return out
}

/** Of the passages that have a vector. */
function meanOf(read: Float32Array, dims: number): Float32Array {
  const sum = new Float64Array(dims)
  let count = 0
  for (let from = 0; from < read.length; from += dims) {
    let any = false
    for (let j = 0; j < dims; j++) {
      sum[j]! += read[from + j]!
      any ||= read[from + j] !== 0
    }
    if (any) count++
  }
  return Float32Array.from(sum, (cell) => cell / Math.max(1, count))
}
