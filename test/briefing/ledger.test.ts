import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { prepare, SQL } from '../../src/postgres/sql-file.ts'
import { openTestDatabase } from '../helpers/database.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

/** The one statement of a function whose parameters are two lists of texts. */
async function statementIn(name: string, lists: readonly string[]): Promise<string> {
  const { rows } = await sql<{
    body: string
  }>`select prosrc as body from pg_proc where proname = ${name}`.execute(database.db)
  const statement = /begin\n([\s\S]*);\nend/.exec(rows[0]!.body)![1]!
  return lists.reduce((text, list, at) => text.replaceAll(list, `$${at + 1}::text[]`), statement)
}

const fileOf = async (name: string): Promise<string> =>
  prepare(await readFile(new URL(`briefing/${name}.sql`, SQL), 'utf8')).text

// A plan is kept for some time, in which thousands of rows may come.
test.each([
  ['tell_agents', () => statementIn('tell_agents', ['to_sessions', 'of_items']), `'{a}', '{b}'`],
  [
    'tell_new',
    () => fileOf('tell_new'),
    `array['a'], array[null]::uuid[], array[1], md5('a')::uuid, '', 'b'`,
  ],
])(
  '%s looks a memory up by its key, also in a plan made beside an empty ledger',
  async (_, statement, given) => {
    const text = await statement()
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
