import type { Db } from '../kernel/kernel.ts'

/** Rows of `settings`. The switch, and the model whose vectors were made last. */
export const MODE = 'embedder_mode'
export const MODEL = 'embedding_model'

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
export const halfvec = (vector: readonly number[]): string => `[${vector.join(',')}]`
