/** Embedders within the process, for measuring what becomes of good and bad vectors. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { findScale } from '../../src/embeddings/store.ts'
import { NOTHING_FOLDED, type Embedder } from '../../src/kernel/embedder.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { wordVector } from './provider.ts'

export type Reading = (text: string) => number[]

/** Texts that share words are near to each other. */
export const hashedWords =
  (dims: number): Reading =>
  (text) =>
    wordVector('words ', text, dims)

/** A direction of its own for each text, which says nothing of it. */
export const atRandom =
  (dims: number): Reading =>
  (text) => {
    let state = createHash('sha256').update(text).digest().readUInt32LE() || 1
    const next = (): number => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) / 2 ** 31 - 1
    }
    return Array.from({ length: dims }, () => next() + next() + next())
  }

/** An embedder that reads so, registered as a model of its own. */
export async function embedderOf(db: Db, name: string, read: Reading): Promise<Embedder> {
  const dims = read('').length
  const { rows } = await sql<{ number: number }>`
    insert into models (name, dims) values (${`${name}@${dims}`}, ${dims}) returning number`.execute(
    db,
  )
  const { number } = rows[0]!
  return {
    state: () => ({ on: true, model: name, dims, number }),
    look: async () => ({ on: true, model: name, dims, number }),
    async embed(texts) {
      const scale = await findScale(db, number)
      const vectors = texts.map((text) => unit(read(text)))
      return { model: number, vectors, ...(scale && { scale }) }
    },
    fold: () => NOTHING_FOLDED,
    forgetDims: async () => {},
    close: async () => {},
  }
}

export function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((part) => part / length) : [...vector]
}
