import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { prepare, SQL } from '../../src/postgres/sql-file.ts'
import { openTestDatabase } from '../helpers/database.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

// The plan of a statement is kept for some seconds, in which thousands of rows may come.
test.each([
  ['tell_shown', `array['a'], array['b']`],
  ['tell_new', `array['a'], array[null]::uuid[], array[1], md5('a')::uuid, '', 'b'`],
])(
  '%s looks a memory up by its key, also in a plan made beside an empty ledger',
  async (name, given) => {
    const { text } = prepare(await readFile(new URL(`briefing/${name}.sql`, SQL), 'utf8'))
    const plan = await database.db.connection().execute(async (db) => {
      await sql`set plan_cache_mode = force_generic_plan`.execute(db)
      await sql`${sql.raw(`prepare told_plan as ${text}`)}`.execute(db)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
      ${sql.raw(`explain (costs off) execute told_plan (${given})`)}`.execute(db)
      await sql`deallocate told_plan`.execute(db)
      await sql`reset plan_cache_mode`.execute(db)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toMatch(
      /Index Scan using told_pkey on told.*\n\s*Index Cond: .*session.*agent.*item/,
    )
    expect(plan).not.toMatch(/Seq Scan on told|Anti Join/)
  },
)
