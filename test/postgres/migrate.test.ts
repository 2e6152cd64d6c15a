import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database } from '../../src/postgres/database.ts'
import { MIGRATIONS, migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { openTestDatabase, testDatabase } from '../helpers/database.ts'

interface Step {
  number: number
  name: string
  applied_at: Date
}

let copy: string
let folder: URL
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'loam-migrations-'))
  await cp(MIGRATIONS, copy, { recursive: true })
  folder = pathToFileURL(`${copy}/`)
})
afterAll(() => rm(copy, { recursive: true }))

const applied = async ({ db }: Database): Promise<Step[]> => {
  const { rows } = await sql<Step>`
    select number, name, applied_at from schema_migrations order by number`.execute(db)
  return rows
}

describe('the schema', () => {
  test('is brought up by exactly one of eight who start at once, on an empty database and on an old one', async () => {
    const steps = await readMigrations(folder)
    const options = await testDatabase({ empty: true })
    await using first = await openDatabase(options)
    // The embedded database has one process at a time; its connections still come all at once.
    const others =
      first.kind === 'server'
        ? await Promise.all(Array.from({ length: 7 }, () => openDatabase(options)))
        : Array.from({ length: 7 }, () => first)
    const everyone = [first, ...others]

    const taken = await Promise.all(everyone.map((one) => migrate(one, { folder })))
    expect(taken.reduce((sum, n) => sum + n)).toBe(steps.length)
    expect((await applied(first)).map(({ name }) => name)).toEqual(steps.map(({ name }) => name))

    await writeFile(join(copy, '9001_more.sql'), 'create table more (a integer);')
    const again = await Promise.all(everyone.map((one) => migrate(one, { folder })))
    expect(again.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
    for (const one of others) if (one !== first) await one.close()
  })

  test.each([
    ['create table orders (id integer)', 'orders'],
    // By the name of ours, as others call theirs too.
    ['create table schema_migrations (version text primary key)', 'schema_migrations'],
  ])('is not laid into the database of another program: %s', async (theirs, name) => {
    await using database = await openTestDatabase({ empty: true })
    await sql.raw(theirs).execute(database.db)
    await expect(migrate(database)).rejects.toMatchObject({
      name: 'Refusal',
      message: expect.stringContaining(`holds the table "${name}"`),
    })
    const { rows } = await sql`
      select tablename from pg_tables where schemaname = current_schema()`.execute(database.db)
    expect(rows).toEqual([{ tablename: name }])
  })

  test('is refused by a version that is older than it, with what to do', async () => {
    await using database = await openTestDatabase()
    await sql`insert into schema_migrations values (9999, '9999_later.sql', '')`.execute(
      database.db,
    )
    await expect(migrate(database)).rejects.toThrow(
      /is at step 9999 and this version of Loam knows \d+: start the newer version again/,
    )
  })

  test('is refused when an applied step has changed since', async () => {
    await using database = await openTestDatabase()
    await sql`update schema_migrations set checksum = 'x' where number = 1`.execute(database.db)
    await expect(migrate(database)).rejects.toThrow(
      'the schema step 0001_kernel.sql is not the one that was applied',
    )
  })

  test('keeps nothing of a step that fails half-way, and takes it again when it is mended', async () => {
    await using database = await openTestDatabase({ empty: true })
    await migrate(database, { folder })
    const broken = join(copy, '9002_broken.sql')
    await writeFile(broken, 'create table half (a integer); select 1 / 0;')
    await expect(migrate(database, { folder })).rejects.toThrow('division by zero')
    const { rows } = await sql`select to_regclass('half') as half`.execute(database.db)
    expect(rows).toEqual([{ half: null }])
    await writeFile(broken, 'create table half (a integer);')
    expect(await migrate(database, { folder })).toBe(1)
  })

  test('is read from files that are numbered and named, and nothing else', async () => {
    await writeFile(join(copy, 'notes.sql'), 'select 1')
    await expect(readMigrations(folder)).rejects.toThrow(
      'notes.sql is not the name of a further step',
    )
    await rm(join(copy, 'notes.sql'))
  })
})

describe('a migration', () => {
  test('has nothing in it that cannot run in a transaction, and ends none', async () => {
    const forbidden = /\b(concurrently|vacuum|create database|begin;|commit|rollback)\b/i
    for (const { name, text } of await readMigrations()) {
      const code = text.replaceAll(/--[^\n]*/g, '')
      expect(forbidden.exec(code)?.[0], name).toBeUndefined()
    }
  })

  test('carries a number of its own', async () => {
    const numbers = (await readdir(MIGRATIONS)).map((name) => name.slice(0, 4))
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})
