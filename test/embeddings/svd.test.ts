import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { knotsOf } from '../../src/embeddings/learned/calibrate.ts'
import { wordsStored } from '../../src/embeddings/learned/gather.ts'
import { decode, encode, readerOf, type Learned } from '../../src/embeddings/learned/model.ts'
import { drawer } from '../../src/embeddings/learned/random.ts'
import { decompose, type Rows } from '../../src/embeddings/learned/svd.ts'
import { cosineOf, similarityOf } from '../../src/embeddings/scale.ts'
import { vectorOf } from '../../src/passages/store.ts'

const HEIGHT = 180
const WIDTH = 90

/** Sparse, and its columns weigh less and less, as those of words do. */
function matrix(): { dense: number[][]; rows: Rows } {
  const draw = drawer(7)
  const dense = Array.from({ length: HEIGHT }, () =>
    Array.from({ length: WIDTH }, (_, j) =>
      draw() < 0.15 ? Math.fround((draw() + 0.2) / (1 + j / 3)) : 0,
    ),
  )
  const starts = [0]
  const [columns, values]: [number[], number[]] = [[], []]
  for (const row of dense) {
    for (const [j, value] of row.entries()) {
      if (value === 0) continue
      columns.push(j)
      values.push(value)
    }
    starts.push(columns.length)
  }
  return { dense, rows: rowsOf(starts, columns, values, WIDTH) }
}

const rowsOf = (starts: number[], columns: number[], values: number[], width: number): Rows => ({
  ...{ starts: Int32Array.from(starts), width },
  ...{ column: (entry) => columns[entry]!, value: (entry) => values[entry]! },
})

/**
 * The reference: singular values and right vectors by one-sided rotations of the dense matrix (Hestenes, "Inversion of
 * matrices by biorthogonalization", 1958), which shares nothing with what is tested.
 */
function reference(dense: number[][]): { value: number; vector: number[] }[] {
  const a = Array.from({ length: WIDTH }, (_, j) => dense.map((row) => row[j]!))
  const v = Array.from({ length: WIDTH }, (_, i) =>
    Array.from({ length: WIDTH }, (_, j) => (i === j ? 1 : 0)),
  )
  const dot = (x: number[], y: number[]) => x.reduce((sum, one, i) => sum + one * y[i]!, 0)
  const turn = (x: number[], y: number[], c: number, s: number) => {
    for (let i = 0; i < x.length; i++) [x[i], y[i]] = [c * x[i]! - s * y[i]!, s * x[i]! + c * y[i]!]
  }
  for (let sweep = 0; sweep < 40; sweep++) {
    for (let p = 0; p < WIDTH - 1; p++) {
      for (let q = p + 1; q < WIDTH; q++) {
        const shared = dot(a[p]!, a[q]!)
        if (Math.abs(shared) < 1e-14) continue
        const zeta = (dot(a[q]!, a[q]!) - dot(a[p]!, a[p]!)) / (2 * shared)
        const t = Math.sign(zeta || 1) / (Math.abs(zeta) + Math.hypot(1, zeta))
        const c = 1 / Math.hypot(1, t)
        turn(a[p]!, a[q]!, c, c * t)
        turn(v[p]!, v[q]!, c, c * t)
      }
    }
  }
  return a
    .map((column, j) => ({ value: Math.hypot(...column), vector: v[j]! }))
    .sort((x, y) => y.value - x.value)
}

describe('a decomposition', () => {
  const { dense, rows } = matrix()

  test('has the values and the directions of one that is computed in another way', () => {
    const found = decompose(rows, 10, 1)
    const right = reference(dense)
    expect(found.values).toHaveLength(10)
    for (const [i, value] of found.values.entries()) {
      expect(Math.abs(value / right[i]!.value - 1)).toBeLessThan(1e-3)
    }
    // The directions of the greatest values, each up to its sign.
    for (let i = 0; i < 4; i++) {
      const vector = Array.from({ length: WIDTH }, (_, j) => found.vectors[j * 10 + i]!)
      const shared = vector.reduce((sum, cell, j) => sum + cell * right[i]!.vector[j]!, 0)
      expect(Math.abs(shared)).toBeGreaterThan(0.999)
    }
  })

  test('is the same, bit for bit, each time', () => {
    const [one, other] = [decompose(rows, 10, 1), decompose(rows, 10, 1)]
    expect(Buffer.from(one.vectors.buffer).equals(Buffer.from(other.vectors.buffer))).toBe(true)
  })

  test('passes by entries that are none', () => {
    const found = decompose(rowsOf([0, 2, 3, 5], [-1, 0, 0, 1, -1], [9, 1, 2, 1, 9], 5), 4, 1)
    expect(found.values.map((value) => Number(value.toFixed(4)))).toEqual([2.2361, 1])
  })

  test('has no more directions than there are', () => {
    const flat = rowsOf([0, 1, 2, 3], [0, 0, 1], [1, 2, 1], 5)
    const { values } = decompose(flat, 4, 1)
    expect(values.map((value) => Number(value.toFixed(4)))).toEqual([2.2361, 1])
  })
})

describe('a learned model', () => {
  const learned: Learned = {
    lexemes: ['=a-b', 'tide', 'zeit', '海洋'],
    dims: 2,
    cells: Int8Array.from([127, 0, 127, 0, 0, 127, 127, 127]),
    steps: Float32Array.from([0.5, 1, 1, 1]),
    mean: Float32Array.from([0.1, 0]),
    passages: 9,
    checked: {
      ...{ weight: 0.1, knots: [], questions: 0 },
      ...{ words: { first: 0, five: 0 }, meaning: { first: 0, five: 0 } },
      fused: { first: 0, five: 0 },
    },
  }

  test('is read back as it was kept', () => {
    expect(decode(encode(learned))).toEqual(learned)
    expect(encode(decode(encode(learned))).equals(encode(learned))).toBe(true)
  })

  test('knows its words, and says nothing of a text with fewer than two of them', () => {
    const { read } = readerOf(learned)
    expect(read([['tide', 1]])).toBeUndefined()
    expect(read([['tide', 1], ['unknown', 1]])).toBeUndefined() // prettier-ignore
    const vector = read([['tide', 1], ['海洋', 1]])! // prettier-ignore
    expect(Math.hypot(...vector)).toBeCloseTo(1)
    expect(read([['=a-b', 1], ['zeit', 1]])).toHaveLength(2) // prettier-ignore
  })

  test('finds each of its words at its place, and none that it has not', () => {
    const words = fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 60 })
    fc.assert(
      fc.property(words, words, (lexemes, others) => {
        const angles = lexemes.map((_, place) => (place / lexemes.length) * Math.PI * 2)
        const cells = angles.flatMap((angle) => [127 * Math.cos(angle), 127 * Math.sin(angle)])
        const steps = new Float32Array(lexemes.length).fill(1)
        const mean = new Float32Array(2)
        const { read } = readerOf({
          ...{ ...learned, lexemes, steps, mean },
          cells: Int8Array.from(cells),
        })
        for (const [place, word] of lexemes.entries()) {
          const [x = 0, y = 0] = read([[word, 1], [word, 1]])! // prettier-ignore
          const off = Math.abs(Math.atan2(y, x) - angles[place]!) % (2 * Math.PI)
          expect(Math.min(off, 2 * Math.PI - off)).toBeLessThan(0.02)
        }
        for (const word of others.filter((each) => !lexemes.includes(each)))
          expect(read([[word, 1], [word, 1]])).toBeUndefined() // prettier-ignore
      }),
    )
  })

  test('takes words as the database writes them', () => {
    const counts = new Map([
      ["o'clock", 2],
      ['back\\slash', 1],
      ['=src/a.ts', 3],
    ])
    expect(new Map(wordsStored(vectorOf(counts)))).toEqual(counts)
  })
})

describe('one scale of similarity', () => {
  const unrelated = Array.from({ length: 1_000 }, (_, i) => i / 2_000)
  const copies = Array.from({ length: 100 }, (_, i) => 0.8 + i / 1_000)
  const knots = knotsOf(unrelated, copies)

  test('95 of 100 unrelated pairs stay below .3, and 95 of 100 edited copies reach .88', () => {
    const below = unrelated.filter((cosine) => similarityOf(knots, cosine) < 0.3)
    expect(below.length / unrelated.length).toBeCloseTo(0.95, 2)
    const above = copies.filter((cosine) => similarityOf(knots, cosine) >= 0.88)
    expect(above.length / copies.length).toBeCloseTo(0.95, 2)
  })

  test('goes from 0 to 1, and never down', () => {
    const told = Array.from({ length: 201 }, (_, i) => similarityOf(knots, i / 100 - 1))
    expect(told[0]).toBe(0)
    expect(told.at(-1)).toBe(1)
    expect(told.every((value, i) => i === 0 || value >= told[i - 1]!)).toBe(true)
  })

  test('is taken back: the cosine of a similarity is told as that similarity', () => {
    for (let similarity = 0; similarity <= 1; similarity += 0.01) {
      expect(similarityOf(knots, cosineOf(knots, similarity))).toBeCloseTo(similarity)
    }
  })

  test('holds for a model that tells nothing apart', () => {
    const flat = knotsOf([0.5, 0.5], [0.5, 0.4])
    expect(similarityOf(flat, 0.5)).toBeLessThan(0.3)
    expect(similarityOf(flat, 1)).toBe(1)
  })
})
