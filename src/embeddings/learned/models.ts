/** The learned models of a store: their rows, and their bytes. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { forgetVectors } from '../store.ts'
import { decode, type Checked, type Learned } from './model.ts'

/** `making`: its bytes are not complete; `filling`: passages get its vectors; `leaving`: nobody asks it. */
export type State = 'making' | 'filling' | 'serving' | 'leaving'

export interface ModelRow {
  number: number
  dims: number
  state: State
  since: Date
  made_at: Date
  passages: number
  checked: Checked | null
}

export const listLearned = (db: Db): Promise<ModelRow[]> =>
  db
    .selectFrom('models')
    .select(['number', 'dims', 'state', 'since', 'made_at', 'passages', 'checked'])
    .where('learned', '=', true)
    .orderBy('number')
    .execute() as Promise<unknown> as Promise<ModelRow[]>

/** Which models are in use, in one look. */
export const listHeld = (db: Db): Promise<{ number: number; state: State }[]> =>
  db
    .selectFrom('models')
    .select(['number', 'state'])
    .where('learned', '=', true)
    .where('state', 'in', ['filling', 'serving'])
    .orderBy('number')
    .execute() as Promise<{ number: number; state: State }[]>

/** Bytes in one statement: well under 100 ms on the embedded database. */
const PART = 256 * 1024

/**
 * Keeps a model, part by part: nobody sees it before it is whole.
 *
 * @returns its number; 0 when the same model is kept already
 */
export async function keepModel(
  { db }: Kernel,
  bytes: Buffer,
  { dims, passages, checked }: { dims: number; passages: number; checked: Checked },
): Promise<number> {
  const name = `store-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}@${dims}`
  const made = { name, dims, passages, checked: JSON.stringify(checked), learned: true }
  const row = await db
    .insertInto('models')
    .values({ ...made, state: 'making' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('number')
    .executeTakeFirst()
  if (!row) {
    const again = { made_at: sql<Date>`loam_now()`, passages }
    await db.updateTable('models').set(again).where('name', '=', name).execute()
    return 0
  }
  const model = row.number
  for (let nth = 0; nth * PART < bytes.length; nth++) {
    const part = bytes.subarray(nth * PART, (nth + 1) * PART)
    await db.insertInto('model_parts').values({ model, nth, part }).execute()
  }
  await turn(db, model, 'filling')
  return model
}

export async function turn(db: Db, number: number, state: State): Promise<void> {
  await db
    .updateTable('models')
    .set({ state, since: sql<Date>`loam_now()`, after: sql<string>`pg_current_xact_id()` })
    .where('number', '=', number)
    .execute()
}

/** From now on this one answers, and the one before it nobody asks. */
export function serveModel(kernel: Kernel, number: number): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    const before = await db
      .selectFrom('models')
      .select('number')
      .where('learned', '=', true)
      .where('state', '=', 'serving')
      .where('number', '<>', number)
      .forUpdate()
      .execute()
    for (const one of before) await turn(db, one.number, 'leaving')
    await turn(db, number, 'serving')
  })
}

/**
 * Whether every transaction has ended that may not know yet in which state a model is. One from beyond the present is of
 * another cluster, from which this one was restored: nobody waits for it.
 */
export async function isKnown(db: Db, number: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select after < pg_snapshot_xmin(pg_current_snapshot())
      or after >= pg_snapshot_xmax(pg_current_snapshot()) as known
    from models where number = ${number}`.execute(db)
  return rows[0]?.known ?? true
}

/** Undefined when it is gone meanwhile, or not readable by this version. */
export async function loadModel(
  { db, log }: Pick<Kernel, 'db' | 'log'>,
  number: number,
): Promise<Learned | undefined> {
  const parts: Buffer[] = []
  for (;;) {
    const row = await db
      .selectFrom('model_parts')
      .select('part')
      .where('model', '=', number)
      .where('nth', '=', parts.length)
      .executeTakeFirst()
    if (!row) break
    parts.push(row.part)
  }
  if (parts.length === 0) return undefined
  try {
    return decode(Buffer.concat(parts))
  } catch (error) {
    log.error({ err: error, model: number }, 'a learned model cannot be read')
    return undefined
  }
}

/** Takes away what a model has left. */
export async function forgetModel(
  kernel: Kernel,
  number: number,
  going: () => boolean,
): Promise<void> {
  const { db } = kernel
  await forgetVectors(kernel, number, going)
  if (!going()) return
  for (;;) {
    const { numDeletedRows } = await db
      .deleteFrom('model_parts')
      .where('model', '=', number)
      .where('nth', 'in', (from) =>
        from.selectFrom('model_parts').select('nth').where('model', '=', number).limit(16),
      )
      .executeTakeFirst()
    if (numDeletedRows === 0n) break
  }
  await db.deleteFrom('models').where('number', '=', number).execute()
}
