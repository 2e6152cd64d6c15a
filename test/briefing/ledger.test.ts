import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { prepare, SQL } from '../../src/postgres/sql-file.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { genericPlan, statementIn } from '../helpers/plan.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const fileOf = async (name: string): Promise<string> =>
  prepare(await readFile(new URL(`briefing/${name}.sql`, SQL), 'utf8')).text

const { db } = database

// A plan is kept for some time, in which thousands of rows may come.
test.each([
  [
    'tell_agents',
    true,
    () => statementIn(db, 'tell_agents', { to_sessions: 'text[]', of_items: 'text[]' }),
  ],
  ['tell_new', false, () => fileOf('tell_new')],
])(
  '%s looks a memory up by its key, also in a plan made beside an empty ledger',
  async (_, byIndexes, statement) => {
    // One that was vacuumed while it was empty is known to have no page.
    await sql`truncate told`.execute(db)
    const plan = await genericPlan(db, await statement(), { byIndexes })
    expect(plan).toMatch(
      /Index Scan using told_pkey on told.*\n\s*Index Cond: .*session.*agent.*item/,
    )
    expect(plan).not.toMatch(/Seq Scan on told|Anti Join/)
  },
)
