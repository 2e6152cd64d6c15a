import pgvector from 'pgvector'
import type { Db } from '../kernel/kernel.ts'

/** Rows of `settings`: the switch, which is read at the start. */
export const MODE = 'embedder_mode'
/** The model that answered last, and its dimensions. */
export const MODEL = 'embedding_model'
/** The number of the model for which everything was queued. */
export const FILLED = 'embedding_filled'
/** All vectors being made again. */
export const REEMBED = 'embedding_reembed'
/** Why the background work fails; there is no row while it goes on. */
export const TROUBLE = 'embedding_trouble'

export interface Trouble {
  kind: string
  cause: string
  since: string
  at: string
}

const nameOf = (model: string, dims: number): string => `${model}@${dims}`

/** The number of a model, 0 when it is new. */
export async function findModel(db: Db, model: string, dims: number): Promise<number> {
  const row = await db
    .selectFrom('models')
    .select('number')
    .where('name', '=', nameOf(model, dims))
    .executeTakeFirst()
  return row?.number ?? 0
}

/** The number of a model, which is given one when it is new. */
export async function registerModel(db: Db, model: string, dims: number): Promise<number> {
  const known = await findModel(db, model, dims)
  if (known > 0) return known
  await db
    .insertInto('models')
    .values({ name: nameOf(model, dims), dims })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return findModel(db, model, dims)
}

/** As the type of the database writes it. */
export const halfvec = (vector: readonly number[]): string => pgvector.toSql([...vector]) as string
