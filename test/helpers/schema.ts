import { sql } from 'kysely'
import type { Db } from '../../src/kernel/kernel.ts'

/** A digest of the tables, columns, constraints, triggers, functions and steps, without the months of the events. */
export async function schemaOf(db: Db): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    with own as (
      select oid, relname from pg_class
      where relnamespace = 'public'::regnamespace and not relispartition
    ), parts as (
      select concat_ws(' ', oid, relname) as part from own
      union all
      select concat_ws(' ', attrelid, attname, atttypid, attnotnull, attisdropped)
      from pg_attribute join own on oid = attrelid where attnum > 0
      union all
      select concat_ws(' ', c.oid, conname) from pg_constraint c join own on own.oid = conrelid
      union all
      select concat_ws(' ', t.oid, tgname, tgenabled)
      from pg_trigger t join own on own.oid = tgrelid where not tgisinternal
      union all
      select concat_ws(' ', oid, xmin) from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select step::text from schema_migrations step
    )
    select md5(string_agg(part, ',' order by part)) as digest from parts`.execute(db)
  return rows[0]?.digest ?? ''
}

/** Drops the months that the service has made for its events. */
export async function dropMonths(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relispartition
      and relname ~ '_transport_\\d'`.execute(db)
  if (rows.length === 0) return
  await sql`drop table ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
}
