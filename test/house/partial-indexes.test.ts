import { readFileSync, globSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../helpers/database.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

/** What compares a column with a constant, as the database writes it in the condition of an index. */
const CONSTANT = /\((\w+) (=|<>) '([^']*)'::text\)/g

test('a statement names the condition of an index of some rows as it stands there, so that its plan can be kept', async () => {
  const { rows } = await sql<{ condition: string }>`
    select pg_get_expr(indpred, indrelid) as condition
    from pg_index join pg_class c on c.oid = indrelid
    where indpred is not null and c.relnamespace = 'public'::regnamespace`.execute(database.db)
  const conditions = rows.flatMap(({ condition }) =>
    [...condition.matchAll(CONSTANT)].map(([, column, sign, value]) => ({ column, sign, value })),
  )
  expect(conditions).toContainEqual({ column: 'superseded_by', sign: '<>', value: '' })
  const asParameters = globSync('src/**/*.ts').flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    return conditions.flatMap(({ column, sign, value }) => {
      const said = new RegExp(`where\\('(?:\\w+\\.)?${column}', '${sign}', '${value}'\\)`)
      return said.test(text) ? [`${path}: ${column} ${sign} '${value}'`] : []
    })
  })
  expect([...new Set(asParameters)]).toEqual([])
})
