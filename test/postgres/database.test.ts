import { createServer, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { awayBecause } from '../../src/postgres/database-problem.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database } from '../../src/postgres/database.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { openTestDatabase, testDatabase } from '../helpers/database.ts'
import { withServer } from '../helpers/postgres.ts'

const log = pino({ level: 'silent' })
const server = process.env['LOAM_TEST_DATABASE_URL']

/** What a socket is given: one chunk, or several to be written together. */
const bytesIn = (given: unknown): string =>
  Array.isArray(given) ? given.map(({ chunk }) => String(chunk)).join('') : String(given)

describe('the database', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  test('reads numbers, days and moments as what they are, and changes nothing for others', async () => {
    const { rows } = await sql`
      select 9007199254740991::bigint as big, array[1, 2]::bigint[] as bigs,
             date '2026-02-03' as day, timestamptz '2026-02-03 04:05:06.789Z' as at,
             '{"a": [1]}'::jsonb as json, array['x', null] as texts`.execute(database.db)
    expect(rows).toEqual([
      {
        big: 9007199254740991,
        bigs: [1, 2],
        day: '2026-02-03',
        at: new Date('2026-02-03T04:05:06.789Z'),
        json: { a: [1] },
        texts: ['x', null],
      },
    ])
    expect(pg.types.getTypeParser(20)('1')).toBe('1')
  })

  test.skipIf(!server)('is sent what is asked in one turn as one piece', async () => {
    const pieces: string[] = []
    const watching = (['_write', '_writev'] as const).map((name) => {
      const real = Socket.prototype[name] as (...given: unknown[]) => void
      return vi.spyOn(Socket.prototype, name).mockImplementation(function (
        this: Socket,
        ...given: unknown[]
      ) {
        // Its bytes are another's as soon as they are sent.
        pieces.push(bytesIn(given[0]))
        real.apply(this, given)
      })
    })
    await database.db.transaction().execute(async (db) => {
      const one = sql`select 1 as one`
      await one.execute(db)
      pieces.length = 0
      expect(await Promise.all([one.execute(db), one.execute(db), one.execute(db)])).toHaveLength(3)
    })
    for (const each of watching) each.mockRestore()
    const sent = pieces.filter((bytes) => bytes.includes('select 1 as one'))
    // Other connections may be asked meanwhile.
    expect(sent).toHaveLength(1)
    expect(sent[0]!.split('select 1 as one')).toHaveLength(4)
  })

  test('compiles no statement', async () => {
    const { rows } = await sql`select pg_jit_available() as compiles`.execute(database.db)
    expect(rows).toEqual([{ compiles: false }])
  })

  test('wakes those who listen, after the commit and not for what is rolled back', async () => {
    await expect.poll(() => database.listening()).toBe(true)
    let woken = 0
    using _ = database.listen('loam_test', () => woken++)
    await expect.poll(() => woken).toBe(1)
    await database.db
      .transaction()
      .execute(async (db) => {
        await sql`notify loam_test`.execute(db)
        throw new Error('undone')
      })
      .catch(() => {})
    await sql`notify loam_test`.execute(database.db)
    await expect.poll(() => woken).toBe(2)
    await sleep(50)
    expect(woken).toBe(2)
  })

  test('wakes nobody who has stopped listening', async () => {
    await expect.poll(() => database.listening()).toBe(true)
    let woken = 0
    const listening = database.listen('loam_quiet', () => woken++)
    await expect.poll(() => woken).toBe(1)
    listening[Symbol.dispose]()
    await sql`notify loam_quiet`.execute(database.db)
    await sleep(50)
    expect(woken).toBe(1)
  })

  test('has two transactions apart, and takes a lock away from nobody', async () => {
    const order: string[] = []
    const one = database.db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(77)`.execute(db)
      order.push('one in')
      await sleep(50)
      order.push('one out')
    })
    await expect.poll(() => order.length).toBe(1)
    await database.db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(77)`.execute(db)
      order.push('two')
    })
    await one
    expect(order).toEqual(['one in', 'one out', 'two'])
  })

  test('sends what a transaction asks at once without waiting for the first answer', async () => {
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    try {
      const order: string[] = []
      await database.db.transaction().execute(async (db) => {
        await sql`select 1`.execute(db)
        const asked = Promise.all([
          sql`select pg_sleep(0.05), 'asked at once'`.execute(db).then(() => order.push('first')),
          sql`select 2, 'asked at once'`.execute(db).then(() => order.push('second')),
        ])
        await setImmediate()
        // Another connection may look at the same moment whether the database answers.
        const ofIt = sent.mock.calls.filter(([query]) =>
          JSON.stringify(query).includes('asked at once'),
        )
        expect(ofIt).toHaveLength(2)
        expect(order).toEqual([])
        await asked
      })
      expect(order).toEqual(['first', 'second'])
    } finally {
      sent.mockRestore()
    }
  })

  test('undoes all that a transaction asked at once when one of it fails', async () => {
    await sql`create table asked_at_once (n int primary key)`.execute(database.db)
    const insert = (db: Db, n: number) => sql`insert into asked_at_once values (${n})`.execute(db)
    const failing = database.db.transaction().execute(async (db) => {
      await Promise.all([insert(db, 1), insert(db, 1), insert(db, 2)])
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    await database.db.transaction().execute((db) => insert(db, 3))
    const { rows } = await sql`select n from asked_at_once`.execute(database.db)
    expect(rows).toEqual([{ n: 3 }])
  })

  test('tells all that a transaction asked at once why the first of it failed', async () => {
    await sql`create table asked_beside (n int primary key)`.execute(database.db)
    const insert = (db: Db) => sql`insert into asked_beside values (1)`.execute(db)
    const deeply = async (db: Db, depth: number): Promise<unknown> =>
      depth === 0 ? insert(db) : deeply(db, depth - 1)
    const failing = database.db.transaction().execute(async (db) => {
      await insert(db)
      // The one that fails is told through many hands, the one beside it at once.
      await Promise.all([deeply(db, 10), sql`select 1`.execute(db)])
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
  })

  test('tells why a commit failed, and goes on with the connection', async () => {
    await sql`create table late (n int unique deferrable initially deferred)`.execute(database.db)
    const committing = database.db.transaction().execute(async (db) => {
      await sql`insert into late values (1), (1)`.execute(db)
    })
    await expect(committing).rejects.toMatchObject({ code: '23505' })
    const { rows } = await sql`select n from late`.execute(database.db)
    expect(rows).toEqual([])
  })

  test('does nothing outside of a transaction that was undone while part of it went on', async () => {
    await sql`create table went_on (n int)`.execute(database.db)
    const parts: Promise<unknown>[] = []
    const undone = database.db.transaction().execute(async (db) => {
      const part = sql`select pg_sleep(0.05)`
        .execute(db)
        .then(() => sql`insert into went_on values (1)`.execute(db))
      part.catch(() => {})
      parts.push(part)
      await sleep(10)
      throw new Error('not so')
    })
    await expect(undone).rejects.toThrow('not so')
    expect(await Promise.allSettled(parts)).toMatchObject([{ status: 'rejected' }])
    await sql`select 1`.execute(database.db)
    const { rows } = await sql`select n from went_on`.execute(database.db)
    expect(rows).toEqual([])
  })

  test('tells how it is without waiting', () => {
    const began = performance.now()
    expect(database.health()).toMatchObject({ ok: true, cause: '' })
    expect(performance.now() - began).toBeLessThan(50)
  })

  test('can be closed twice', async () => {
    const other = await openTestDatabase()
    await Promise.all([other.close(), other.close()])
    await expect(sql`select 1`.execute(other.db)).rejects.toThrow()
  })
})

describe('a database that cannot be used is refused in one sentence', () => {
  const open = (url: string): Promise<Database> => openDatabase({ url, dir: '', log })
  const PASSWORD = 'hunter-two'

  test.each([
    ['not a url', 'database.url: it is not the address of a PostgreSQL database'],
    ['mysql://root@localhost/x', 'database.url: it is not the address of a PostgreSQL database'],
    [`postgres://u:${PASSWORD}@127.0.0.1:1/x`, 'the database at 127.0.0.1:1 refuses connections'],
    [`postgres://u:${PASSWORD}@no.such.host.invalid/x`, 'has no address: correct database.url'],
    [`postgres://50%off:${PASSWORD}@127.0.0.1:1/x`, 'the database at 127.0.0.1:1 refuses'],
    [`postgres://u:${PASSWORD}@127.0.0.1:1/50%off`, 'the database at 127.0.0.1:1 refuses'],
    [
      `postgres://u:${PASSWORD}@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/no/such.crt`,
      'the file /no/such.crt, which database.url names, cannot be read (ENOENT)',
    ],
  ])('%s', async (url, message) => {
    const refusal = await open(url).then(
      () => null,
      (error: Error) => error,
    )
    expect(refusal?.message).toContain(message)
    expect(refusal?.message).not.toContain(PASSWORD)
    expect(refusal?.message).not.toContain('\n')
    expect(refusal?.name).toBe('Refusal')
  })

  test('one that accepts a connection and never says a word', async () => {
    const mute = createServer(() => {})
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    await expect(open(`postgres://u:p@127.0.0.1:${port}/x`)).rejects.toThrow('does not answer')
    mute.close()
  })

  test.skipIf(!server)('one that does not know the password, or the database', async () => {
    const wrong = new URL(server!)
    wrong.password = PASSWORD
    await expect(open(wrong.href)).rejects.toThrow(/does not let the user ".*" in: correct/)
    const elsewhere = new URL(server!)
    elsewhere.pathname = '/no_such_database'
    await expect(open(elsewhere.href)).rejects.toThrow(
      'has no database "no_such_database": run create database "no_such_database" there',
    )
  })
})

describe.skipIf(!server)('on a server', () => {
  test('one that answers while this thread reads code is not taken for silent', async () => {
    const begun = (): void => {
      const end = performance.now() + 4_500
      while (performance.now() < end);
    }
    await using database = await openDatabase({ ...(await testDatabase()), begun })
    const { rows } = await sql`select 1 as one`.execute(database.db)
    expect(rows).toEqual([{ one: 1 }])
  })

  test('a lost connection ends no process, and the next statement has a new one', async () => {
    const options = await testDatabase({ pool: 1 })
    await using database = await openDatabase(options)
    const cut = () =>
      withServer(options.url!, (client) =>
        client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        ),
      )
    await cut()
    await expect
      .poll(() => sql`select 1 as one`.execute(database.db).then(({ rows }) => rows, String))
      .toEqual([{ one: 1 }])

    const sleeping = sql`select pg_sleep(30)`.execute(database.db).catch((error: unknown) => error)
    await sleep(100)
    await cut()
    expect(awayBecause(await sleeping)).toBe('the connection to the database was lost')
    let woken = 0
    using _ = database.listen('loam_again', () => woken++)
    await expect.poll(() => woken).toBeGreaterThan(0)
  })

  test('a statement that takes too long is given up, and its connection with it', async () => {
    await using database = await openTestDatabase({ pool: 1 })
    const began = performance.now()
    const endless = await sql`select pg_sleep(30)`.execute(database.db).catch((e: unknown) => e)
    expect(awayBecause(endless)).toBe('the database does not answer')
    expect(performance.now() - began).toBeLessThan(6_000)
    const { rows } = await sql`select 1 as one`.execute(database.db)
    expect(rows).toEqual([{ one: 1 }])
  })
})
