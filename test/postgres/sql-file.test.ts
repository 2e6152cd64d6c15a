import { readFileSync, readdirSync } from 'node:fs'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import { SQL, prepare, sqlFile } from '../../src/postgres/sql-file.ts'
import { openTestDatabase } from '../helpers/database.ts'

describe('named parameters', () => {
  test('become numbers, the same name always the same one', () => {
    expect(prepare('select :a, :b_2, :a')).toEqual({
      text: 'select $1, $2, $1',
      names: ['a', 'b_2'],
    })
  })

  test.each([
    "select 'it''s :no', a from t",
    'select ":no" from t',
    'select a::text, b :: int from t',
    'select 1 -- :no\n',
    'select /* :no */ 1',
    "select $$ :no '$$, $x$ :no $$ $x$",
    "select to_char(now(), 'HH24:MI')",
  ])('are not found in %s', (text) => {
    expect(prepare(text)).toEqual({ text, names: [] })
  })

  test('are found beside a cast and an array slice', () => {
    expect(prepare("where at < now() - :idle::interval and 'x' = :x").text).toBe(
      "where at < now() - $1::interval and 'x' = $2",
    )
  })
})

describe('a query kept in a file', () => {
  const names = readdirSync(SQL, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql') && !name.startsWith('migrations'))
    .map((name) => name.replace(/\.sql$/, '').replaceAll('\\', '/'))
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  test.each(names)('sql/%s.sql fits the schema', async (name) => {
    const { text } = prepare(readFileSync(new URL(`${name}.sql`, SQL), 'utf8'))
    await database.db.connection().execute(async (db) => {
      await db.executeQuery(CompiledQuery.raw(`prepare probe as ${text}`))
      await sql`deallocate probe`.execute(db)
    })
  })

  test('opens with the question that it answers', () => {
    const silent = names.filter(
      (name) => !readFileSync(new URL(`${name}.sql`, SQL), 'utf8').startsWith('-- '),
    )
    expect(silent).toEqual([])
  })

  test('says which parameter is missing, and which it does not know', async () => {
    const read = (name: string): string => readFileSync(new URL(`${name}.sql`, SQL), 'utf8')
    const name = names.find((one) => prepare(read(one)).names.length > 0) ?? ''
    const [param] = prepare(read(name)).names
    const query = sqlFile<object, object>(name)
    await expect(query(database.db, {})).rejects.toThrow(`sql/${name}.sql needs ${param}`)
    const given = Object.fromEntries(prepare(read(name)).names.map((one) => [one, null]))
    await expect(query(database.db, { ...given, nobody: 1 })).rejects.toThrow(
      `sql/${name}.sql does not know nobody`,
    )
  })

  test('that does not exist is an error when it is named, not when it is called', () => {
    expect(() => sqlFile('recall/none')).toThrow('ENOENT')
  })
})
