import { sql } from 'kysely'
import type { Scale } from '../kernel/embedder.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'

/** Rows of `settings`: the switch, which is read at the start. */
export const MODE = 'embedder_mode'
/** The model that answered last, and its dimensions. */
export const MODEL = 'embedding_model'
/** The number of the model for which everything was queued. The row is as old as the end of that. */
export const FILLED = 'embedding_filled'
/** The number of the encoder whose vectors are complete, so that those of others are gone. */
export const COMPLETE = 'embedding_complete'
/** How fast the configured model reads passages. */
export const PACE = 'embedding_pace'
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

/** Vectors that one statement takes away: well under 100 ms on the embedded database. */
const FORGOTTEN_AT_ONCE = 500

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

/** A configured model has read everything. */
export async function answersFromNow(db: Db, number: number): Promise<void> {
  await db
    .updateTable('models')
    .set({ since: sql<Date>`loam_now()` })
    .where('number', '=', number)
    .execute()
}

/** How the cosines of a configured model are told, and what it is worth; undefined while it was not checked. */
export async function findScale(db: Db, number: number): Promise<Scale | undefined> {
  const row = await db
    .selectFrom('models')
    .select('checked')
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row?.checked) return undefined
  const { knots, weight } = row.checked as unknown as Scale
  return { knots, weight }
}

/** Has the model checked again. */
export async function forgetScale(db: Db, number: number): Promise<void> {
  await db.updateTable('models').set({ checked: null }).where('number', '=', number).execute()
}

/** Takes away all vectors of a model, some at a time. */
export async function forgetVectors(
  { db }: Kernel,
  model: number,
  going: () => boolean,
): Promise<void> {
  let last = { kind: '', id: '', chunk: 0 }
  while (going()) {
    const { rows } = await sql<typeof last>`
      with theirs as materialized (
        select kind, id, chunk, model from vectors
        where (kind, id, chunk) > (${last.kind}, ${last.id}, ${last.chunk}) and model = ${model}
        order by kind, id, chunk
        limit ${FORGOTTEN_AT_ONCE}
      ),
      gone as (
        delete from vectors v using theirs t
        where v.kind = t.kind and v.id = t.id and v.chunk = t.chunk and v.model = t.model
      )
      select kind, id, chunk from theirs order by kind desc, id desc, chunk desc limit 1`.execute(
      db,
    )
    if (!rows[0]) break
    last = rows[0]
  }
}
