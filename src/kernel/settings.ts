/** Override rows, over the configuration file and the environment. Values are JSON. */
import { sql } from 'kysely'
import type { Db } from './kernel.ts'

/** The stored value, or undefined. The reader checks what it holds. */
export async function findSetting(db: Db, key: string): Promise<unknown> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value ?? undefined
}

export async function putSetting(db: Db, key: string, value: unknown): Promise<void> {
  const row = { value: JSON.stringify(value), updated_at: sql<Date>`loam_now()` }
  await db
    .insertInto('settings')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
}

export async function clearSetting(db: Db, key: string): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', key).execute()
}
