/**
 * A truncated singular value decomposition of a sparse matrix: the directions in which its rows differ most.
 *
 * Randomised, after Halko, Martinsson and Tropp, "Finding structure with randomness" (SIAM Review 53, 2011),
 * algorithms 4.4 and 5.1: a random look at the range, sharpened by power iterations, and an exact decomposition of
 * what is left. Columns are made orthonormal by their Gram matrix (Stathopoulos and Wu, SIAM Journal on Scientific
 * Computing 23, 2002), twice. Every sum runs in one order, so the same matrix gives the same bits.
 */
import { eigen } from './eigen.ts'
import { normals } from './random.ts'

/**
 * A sparse matrix, row by row: row i has the entries from starts[i] up to starts[i + 1]. They are asked for and not kept:
 * a second copy of what they are made of would be much of what learning takes.
 */
export interface Rows {
  starts: Int32Array
  /** Of an entry; below 0 for one that is none. */
  column(entry: number): number
  value(entry: number, column: number, row: number): number
  /** Columns in all. */
  width: number
}

export interface Decomposed {
  /** The right singular vectors, as the columns of a matrix of `width` rows, which lie one after the other. */
  vectors: Float32Array
  /** Singular values, the greatest first; as many as there are directions, which may be fewer than asked for. */
  values: number[]
}

/** Columns beyond those asked for, and looks at the matrix after the first. */
const MORE = 10
const LOOKS = 3

export function decompose(rows: Rows, dims: number, seed: number): Decomposed {
  const height = rows.starts.length - 1
  const most = Math.min(dims + MORE, height, rows.width)
  const draw = normals(seed)
  let right: Dense = { cells: new Float32Array(rows.width * most), width: most }
  for (let i = 0; i < right.cells.length; i++) right.cells[i] = draw()
  let left = times(rows, right)
  for (let look = 0; look < LOOKS; look++) {
    right = timesTransposed(rows, orthonormal(left), right)
    left = times(rows, right, left)
  }
  right = timesTransposed(rows, orthonormal(left), right)
  // What is left is as wide as the directions are many: right = V S U', and right' right = U S² U'.
  const { values, vectors } = eigen(gram(right), right.width)
  const singular = values.map((value) => Math.sqrt(Math.max(0, value)))
  const least = (singular[0] ?? 0) * 1e-6
  const kept = singular.filter((value, i) => i < dims && value > least)
  return {
    values: kept,
    vectors: turned(right, vectors, kept.length, (i) => 1 / kept[i]!).cells,
  }
}

/** A dense matrix whose rows lie one after the other. */
interface Dense {
  cells: Float32Array
  width: number
}

/**
 * Room for so many cells, that of a matrix which is no longer needed: a second one of its size would be most of what
 * learning takes.
 */
const room = (cells: number, from?: Dense): Float32Array =>
  from ? new Float32Array(from.cells.buffer, 0, cells) : new Float32Array(cells)

function times(rows: Rows, { cells, width }: Dense, into?: Dense): Dense {
  const { starts } = rows
  const height = starts.length - 1
  const out = room(height * width, into)
  const sum = new Float64Array(width)
  for (let i = 0; i < height; i++) {
    sum.fill(0)
    for (let at = starts[i]!; at < starts[i + 1]!; at++) {
      const column = rows.column(at)
      if (column < 0) continue
      const [from, value] = [column * width, rows.value(at, column, i)]
      for (let j = 0; j < width; j++) sum[j]! += value * cells[from + j]!
    }
    out.set(sum, i * width)
  }
  return { cells: out, width }
}

function timesTransposed(rows: Rows, { cells, width }: Dense, into: Dense): Dense {
  const { starts, width: height } = rows
  const out = room(height * width, into).fill(0)
  for (let i = 0; i < starts.length - 1; i++) {
    const from = i * width
    for (let at = starts[i]!; at < starts[i + 1]!; at++) {
      const column = rows.column(at)
      if (column < 0) continue
      const [to, value] = [column * width, rows.value(at, column, i)]
      for (let j = 0; j < width; j++) out[to + j]! += value * cells[from + j]!
    }
  }
  return { cells: out, width }
}

/** The same range, in columns of length 1 that stand upright on each other. Directions of nothing fall away. */
function orthonormal(matrix: Dense): Dense {
  let found = matrix
  for (let turn = 0; turn < 2; turn++) {
    const { values, vectors } = eigen(gram(found), found.width)
    const least = Math.max(values[0] ?? 0, 1e-30) * 1e-10
    const kept = values.filter((value) => value > least)
    found = turned(found, vectors, kept.length, (i) => 1 / Math.sqrt(kept[i]!))
  }
  return found
}

/** The products of its columns with each other. */
function gram({ cells, width }: Dense): Float64Array {
  const out = new Float64Array(width * width)
  for (let from = 0; from < cells.length; from += width) {
    for (let i = 0; i < width; i++) {
      const value = cells[from + i]!
      for (let j = 0; j <= i; j++) out[i * width + j]! += value * cells[from + j]!
    }
  }
  for (let i = 0; i < width; i++) {
    for (let j = i + 1; j < width; j++) out[i * width + j] = out[j * width + i]!
  }
  return out
}

/** The matrix times the first `kept` columns of a square one, each of these made longer by `factor`; in its own place. */
function turned(
  { cells, width }: Dense,
  square: Float64Array,
  kept: number,
  factor: (column: number) => number,
): Dense {
  const scaled = new Float64Array(width * kept)
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < kept; j++) scaled[i * kept + j] = square[i * width + j]! * factor(j)
  }
  const sum = new Float64Array(kept)
  const height = cells.length / width
  for (let row = 0; row < height; row++) {
    sum.fill(0)
    for (let i = 0; i < width; i++) {
      const value = cells[row * width + i]!
      for (let j = 0; j < kept; j++) sum[j]! += value * scaled[i * kept + j]!
    }
    // No row that is still to be read begins before this one ends.
    cells.set(sum, row * kept)
  }
  return { cells: cells.subarray(0, height * kept), width: kept }
}
