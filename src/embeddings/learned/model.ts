/**
 * What a store has learned of its own words: the vector of each, and how texts are read by them.
 *
 * Latent semantic analysis (Deerwester, Dumais, Furnas, Landauer and Harshman, "Indexing by latent semantic
 * analysis", JASIS 41, 1990): a text is the sum of its words, each by the logarithm of how often it stands there and
 * by how rare it is.
 */
import { randomInt } from 'node:crypto'

/** How a cosine of a model is told: from one knot to the next in a straight line. */
export type Knots = readonly (readonly [cosine: number, similarity: number])[]

/** How well a model did on questions made of the store's own passages. */
export interface Checked {
  /** How far it is trusted beside the words, from 0 to 1. */
  weight: number
  knots: Knots
  questions: number
  /** Of the questions, the part whose item came first, and the part whose item was among the first five. */
  words: { first: number; five: number }
  meaning: { first: number; five: number }
  fused: { first: number; five: number }
}

export interface Learned {
  /** In the order of their characters. */
  lexemes: readonly string[]
  dims: number
  /** The vectors of the lexemes, one after the other, in steps of `steps`. */
  cells: Int8Array
  steps: Float32Array
  /** Taken from each text: what all texts share. */
  mean: Float32Array
  /** Passages it was learned from. */
  passages: number
  checked: Checked
}

/** Reads texts. */
export interface Reader extends Omit<Learned, 'lexemes' | 'cells' | 'steps'> {
  /** The vector of a text by its words; undefined when it has too few of those that are known. */
  read(words: Iterable<readonly [lexeme: string, weight: number]>): number[] | undefined
}

/** Known words that a text needs. */
const FEWEST = 2

/** How much a word weighs that stands so often in a passage. */
export const often = (count: number): number => 1 + Math.log(count)

/** The words of a passage by how often they stand there, as a text to read. */
export function* passageWords(
  counts: Iterable<readonly [string, number]>,
): Generator<[string, number]> {
  for (const [lexeme, count] of counts) yield [lexeme, often(count)]
}

export function readerOf(learned: Learned): Reader {
  const { dims, cells, steps, mean, passages, checked } = learned
  const bare = { dims, cells, steps, mean }
  const find = finder(learned.lexemes)
  return {
    ...{ dims, mean, passages, checked },
    read: (words) => readPlaces(bare, placesOf(words, find)),
  }
}

function* placesOf(
  words: Iterable<readonly [lexeme: string, weight: number]>,
  find: (lexeme: string) => number,
): Generator<[place: number, weight: number]> {
  for (const [lexeme, weight] of words) yield [find(lexeme), weight]
}

/** What is needed to read texts by the places of their words. */
export type Bare = Pick<Learned, 'dims' | 'cells' | 'steps' | 'mean'>

/** The vector of some words by their places, -1 for those that are not known; undefined when too few are. */
export function readPlaces(
  { dims, cells, steps, mean }: Bare,
  words: Iterable<readonly [place: number, weight: number]>,
): number[] | undefined {
  const sum = new Float64Array(dims)
  let known = 0
  for (const [place, weight] of words) {
    if (place < 0) continue
    known++
    const step = steps[place]! * weight
    for (let j = 0, from = place * dims; j < dims; j++) sum[j]! += step * cells[from + j]!
  }
  return known < FEWEST ? undefined : centred(sum, mean)
}

/** The direction of a text without what all have in common. */
function centred(sum: Float64Array, mean: Float32Array): number[] | undefined {
  const length = Math.hypot(...sum)
  if (length < 1e-9) return undefined
  const moved = Array.from(sum, (cell, j) => cell / length - mean[j]!)
  const left = Math.hypot(...moved)
  return left < 1e-6 ? undefined : moved.map((cell) => cell / left)
}

/**
 * Keeps the words as one text, and their places in a table of hashes that is at most half full: a hundred thousand
 * strings with their places would take four times as much.
 */
function finder(lexemes: readonly string[]): (lexeme: string) => number {
  const encoded = lexemes.map((lexeme) => Buffer.from(lexeme))
  const bytes = Buffer.concat(encoded)
  const ends = new Uint32Array(encoded.length)
  let end = 0
  encoded.forEach(({ length }, place) => (ends[place] = end += length))
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * lexemes.length + 1))).fill(-1)
  const mask = slots.length - 1
  lexemes.forEach((lexeme, place) => {
    let slot = hashOf(lexeme) & mask
    while (slots[slot]! >= 0) slot = (slot + 1) & mask
    slots[slot] = place
  })
  return (lexeme) => {
    let sought: Buffer | undefined
    for (let slot = hashOf(lexeme) & mask; slots[slot]! >= 0; slot = (slot + 1) & mask) {
      const place = slots[slot]!
      sought ??= Buffer.from(lexeme)
      const from = place === 0 ? 0 : ends[place - 1]!
      if (sought.length !== ends[place]! - from) continue
      if (sought.compare(bytes, from, ends[place]) === 0) return place
    }
    return -1
  }
}

/** Differs in each process: nobody can choose words that meet in one place. */
const SEED = randomInt(2 ** 32)

/** Fowler, Noll and Vo's hash 1a of 32 bits, over the units of a string. */
function hashOf(lexeme: string): number {
  let hash = SEED
  for (let i = 0; i < lexeme.length; i++) hash = Math.imul(hash ^ lexeme.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const FORMAT = 1

/** As bytes: the same model gives the same bytes. */
export function encode(learned: Learned): Buffer {
  const { lexemes, cells, steps, mean, ...head } = learned
  const words = Buffer.from(lexemes.join('\n'))
  const text = Buffer.from(JSON.stringify({ format: FORMAT, ...head, words: words.length }))
  const sizes = Buffer.alloc(4)
  sizes.writeUInt32LE(text.length)
  const raw = (part: Float32Array | Int8Array) =>
    Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  return Buffer.concat([sizes, text, words, raw(mean), raw(steps), raw(cells)])
}

export function decode(bytes: Buffer): Learned {
  let at = 4
  const take = (size: number): Buffer => bytes.subarray(at, (at += size))
  const head = JSON.parse(take(bytes.readUInt32LE()).toString()) as Omit<
    Learned,
    'lexemes' | 'cells' | 'steps' | 'mean'
  > & { format: number; words: number }
  if (head.format !== FORMAT) throw new Error(`a model of format ${head.format} cannot be read`)
  const { format: _, words, ...rest } = head
  const text = take(words).toString()
  const lexemes = text === '' ? [] : text.split('\n')
  const floats = (count: number): Float32Array => new Float32Array(copied(take(4 * count)))
  const mean = floats(rest.dims)
  const steps = floats(lexemes.length)
  const cells = new Int8Array(copied(take(lexemes.length * rest.dims)))
  return { ...rest, lexemes, mean, steps, cells }
}

const copied = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer
