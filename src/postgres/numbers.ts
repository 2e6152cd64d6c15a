/**
 * Numbers as the database sends them to itself: a parameter of bytes is taken for its binary form. Reading the digits of one
 * vector takes it as long as comparing a hundred.
 */

/** A halfvec, as halfvec_recv of pgvector takes it: how many numbers, nothing, and each in half precision. */
export function halfvec(vector: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 2 * vector.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  view.setUint16(0, vector.length)
  for (const [at, number] of vector.entries()) view.setFloat16(4 + 2 * at, number)
  return bytes
}

/** The type of an element, as pg_type of PostgreSQL numbers it. */
const FLOAT4 = 700

/** A real[], as array_recv of PostgreSQL takes it: dimensions, nulls, type, length, first index, and each with its size. */
export function reals(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(20 + 8 * numbers.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (const [at, word] of [1, 0, FLOAT4, numbers.length, 1].entries()) view.setInt32(4 * at, word)
  for (const [at, number] of numbers.entries()) {
    view.setInt32(20 + 8 * at, 4)
    view.setFloat32(24 + 8 * at, number)
  }
  return bytes
}
