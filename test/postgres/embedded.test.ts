import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/kernel/kernel.ts'
import { awayBecause } from '../../src/postgres/database-problem.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database } from '../../src/postgres/database.ts'
import { tendLog } from '../../src/postgres/embedded/checkpoints.ts'
import { openEmbedded } from '../../src/postgres/embedded/embedded.ts'
import type { Embedded } from '../../src/postgres/embedded/embedded.ts'
import { PLANNED_ANEW } from '../../src/postgres/embedded/kept-plans.ts'
import { keepTidy, tidyOne } from '../../src/postgres/embedded/maintenance.ts'
import type { Tidying } from '../../src/postgres/embedded/maintenance.ts'

const log = pino({ level: 'silent' })
const unhurried = { unhurried: <T>(work: () => Promise<T>) => work() }

/** A client of its own on the embedded database. */
async function connect(embedded: Embedded, more: { pipeline?: boolean } = {}): Promise<pg.Client> {
  const stream = embedded.stream
  const client = new pg.Client({ stream, host: 'embedded', user: 'loam', password: '', ...more })
  client.on('error', () => {})
  await client.connect()
  return client
}

describe('many connections over one session', () => {
  let embedded: Embedded
  let clients: pg.Client[]

  beforeAll(async () => {
    embedded = await openEmbedded({ cluster: null, log, idleInTransactionMs: 400 })
    clients = await Promise.all(Array.from({ length: 6 }, () => connect(embedded)))
    await clients[0]?.query('create table rows (who integer, what integer)')
  })
  afterAll(() => embedded.close())

  const two = (): [pg.Client, pg.Client] => [clients[0]!, clients[1]!]

  /** What the session has prepared of a text, and how often that was planned. */
  async function keptOf(text: string): Promise<{ calls: number; generic: number }[]> {
    const { rows } = await clients[0]!.query(
      `select (generic_plans + custom_plans)::int as calls, generic_plans::int as generic
      from pg_prepared_statements where statement = $1`,
      [text],
    )
    return rows
  }

  test('the unnamed statements of several connections never mix', async () => {
    const rounds = clients.map(async (client, who) => {
      for (let what = 0; what < 50; what++) {
        const text = `select $1::int as who, $2::int as what, '${'x'.repeat(who)}' as x`
        const { rows } = await client.query(text, [who, what])
        expect(rows).toEqual([{ who, what, x: 'x'.repeat(who) }])
      }
    })
    await Promise.all(rounds)
  })

  test('the time that statements take is counted, and nothing else', async () => {
    const [worked, began] = [embedded.workedMs(), performance.now()]
    await clients[0]!.query('select pg_sleep(0.05)')
    await sleep(50)
    expect(embedded.isAtWork()).toBe(false)
    expect(embedded.workedMs() - worked).toBeGreaterThan(49)
    expect(embedded.workedMs() - worked).toBeLessThan(performance.now() - began - 49)
  })

  test('while a transaction is open the others wait, and are served in their order', async () => {
    const [one, ...others] = clients
    await one!.query('begin')
    await one!.query('insert into rows values (1, 1)')
    const served: number[] = []
    const waiting = others.map(async (client, index) => {
      const { rows } = await client.query('select count(*)::int as n from rows where who = 1')
      served.push(index)
      return rows[0].n
    })
    await sleep(50)
    expect(served).toEqual([])
    await one!.query('insert into rows values (1, 2)')
    await one!.query('commit')
    expect(await Promise.all(waiting)).toEqual([2, 2, 2, 2, 2])
    expect(served).toEqual([0, 1, 2, 3, 4])
  })

  test('a failed statement leaves its transaction failed, and nobody else sees it', async () => {
    const [one, two_] = two()
    await one.query('begin')
    await expect(one.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
    const other = two_.query('select 1 as one')
    await expect(one.query('select 1')).rejects.toMatchObject({ code: '25P02' })
    await one.query('rollback')
    expect((await other).rows).toEqual([{ one: 1 }])
  })

  test('a connection that goes away in the middle of a transaction is rolled back', async () => {
    const [, other] = two()
    const passing = await connect(embedded)
    await passing.query('begin')
    await passing.query('insert into rows values (7, 7)')
    const { connection } = passing as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
    const { rows } = await other.query('select count(*)::int as n from rows where who = 7')
    expect(rows).toEqual([{ n: 0 }])
  })

  test('a transaction that lies idle is rolled back, with its reason, and the others go on', async () => {
    const [, other] = two()
    const idle = await connect(embedded)
    const reason = new Promise<Error>((resolve) => idle.once('error', resolve))
    await idle.query('begin')
    await idle.query('insert into rows values (8, 8)')
    const { rows } = await other.query('select count(*)::int as n from rows where who = 8')
    expect(rows).toEqual([{ n: 0 }])
    expect(await reason).toMatchObject({ code: '25P03' })
    await expect(idle.query('select 1')).rejects.toThrow()
  })

  test('a notification reaches every connection that listens and no other', async () => {
    const heard = clients.map(() => [] as string[])
    clients.forEach((client, index) => {
      client.on('notification', ({ channel, payload }) =>
        heard[index]!.push(`${channel} ${payload}`),
      )
    })
    await clients[0]!.query('listen news')
    await clients[1]!.query('listen news')
    await clients[2]!.query('listen other')
    await clients[1]!.query("notify news, 'first'")
    await clients[0]!.query('unlisten news')
    await clients[3]!.query("notify news, 'second'")
    await clients[1]!.query('select 1')
    expect(heard).toEqual([['news first'], ['news first', 'news second'], [], [], [], []])
  })

  test('a rolled-back notification reaches nobody', async () => {
    const [one, other] = two()
    const heard: unknown[] = []
    other.on('notification', ({ channel }) => heard.push(channel))
    await other.query('listen undone')
    await one.query('begin')
    await one.query('notify undone')
    await one.query('rollback')
    await other.query('select 1')
    expect(heard).toEqual([])
  })

  test('a copy into the database is refused, and the session outlives it', async () => {
    const [one] = two()
    await expect(one.query('copy rows from stdin')).rejects.toMatchObject({ code: '0A000' })
    expect((await one.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('a statement that comes again is understood once, whoever sends it', async () => {
    const text = 'select count(*)::int as n from rows where who = $1 and what <> 11'
    for (const client of [...clients, ...clients]) await client.query(text, [1])
    expect(await keptOf(text)).toEqual([{ calls: expect.any(Number), generic: expect.any(Number) }])
  })

  test('one that says so is planned for what it asks, however often it comes', async () => {
    const text = `${PLANNED_ANEW}select count(*)::int as n from rows where who = $1 and what <> 12`
    for (let i = 0; i < 40; i++) {
      await clients[0]!.query(text, [1])
      const kept = await keptOf(text)
      expect(kept).toHaveLength(i === 0 ? 0 : 1)
      for (const { calls, generic } of kept) {
        expect(calls).toBeLessThanOrEqual(5)
        expect(generic).toBe(0)
      }
    }
  })

  test('a statement that came before fails as if it came first, and is right again afterwards', async () => {
    const [one, other] = two()
    const divide = (by: number, client = one): Promise<number> =>
      client.query('select 12 / $1::int as n', [by]).then(({ rows }) => rows[0].n)
    expect([await divide(2), await divide(3), await divide(4)]).toEqual([6, 4, 3])
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    await one.query('begin')
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    const waiting = divide(6, other)
    await expect(divide(2)).rejects.toMatchObject({ code: '25P02' })
    await one.query('rollback')
    expect([await waiting, await divide(12)]).toEqual([2, 1])
    const wrong = (): Promise<unknown> => one.query('select nothing from rows where who = $1', [1])
    for (let i = 0; i < 3; i++) await expect(wrong()).rejects.toMatchObject({ code: '42703' })
  })

  test('a statement that came before sees what has become of a table', async () => {
    const [one, other] = two()
    const all = async (): Promise<unknown[]> =>
      (await one.query('select * from changing where a = $1', [1])).rows
    await other.query('create table changing (a integer)')
    await other.query('insert into changing values (1)')
    for (let i = 0; i < 3; i++) expect(await all()).toEqual([{ a: 1 }])
    await other.query("-- more; of it\nalter table changing add b text default 'x'")
    for (let i = 0; i < 3; i++) expect(await all()).toEqual([{ a: 1, b: 'x' }])
    await other.query('drop table changing')
    await expect(all()).rejects.toMatchObject({ code: '42P01' })
    await other.query('create table changing (a text)')
    await other.query("insert into changing values ('1')")
    for (let i = 0; i < 3; i++) expect(await all()).toEqual([{ a: '1' }])
  })

  test('no more statements are kept than there are of use', async () => {
    const [one] = two()
    const ask = async (n: number): Promise<number> =>
      (await one.query(`select $1::int + ${n} as n`, [1])).rows[0].n
    for (let n = 0; n < 450; n++) {
      expect(await ask(n)).toBe(n + 1)
      expect(await ask(n)).toBe(n + 1)
    }
    for (let n = 0; n < 450; n += 30) expect(await ask(n)).toBe(n + 1)
    const { rows } = await one.query('select count(*)::int as n from pg_prepared_statements')
    expect(rows[0].n).toBeLessThanOrEqual(150)
  })

  test('what is asked together is answered in order, and nobody comes between', async () => {
    const together = async (client: pg.Client, from: number): Promise<unknown[]> => {
      const answers = await Promise.all([
        client.query('begin'),
        client.query('update rows set what = $1 where who = 7', [from]),
        client.query('select what from rows where who = 7'),
        client.query('commit'),
      ])
      return answers[2].rows
    }
    const asking = { pipeline: true }
    const [a, b] = await Promise.all([connect(embedded, asking), connect(embedded, asking)])
    await a.query('insert into rows values (7, 0)')
    for (let n = 0; n < 30; n++) {
      const single = clients[2]!.query('select count(*)::int as n from rows where who = $1', [7])
      const answers = await Promise.all([together(a, n), together(b, 1000 + n)])
      expect(answers).toEqual([[{ what: n }], [{ what: 1000 + n }]])
      expect((await single).rows).toEqual([{ n: 1 }])
    }
  })

  test('a statement that stands alone goes before a transaction that waited before it came', async () => {
    const [holder, writer] = two()
    const order: string[] = []
    await holder.query('begin')
    const writing = writer.query('begin').then(() => order.push('transaction'))
    const reading = clients[2]!.query('select 1').then(() => order.push('alone'))
    await holder.query('commit')
    await Promise.all([writing, reading])
    await writer.query('commit')
    expect(order).toEqual(['alone', 'transaction'])
  })

  test('answers of many megabytes and parameters of many megabytes pass whole', async () => {
    const [one] = two()
    const text = 'ä'.repeat(3_000_000)
    const { rows } = await one.query('select $1::text as text, length($1::text) as n', [text])
    expect(rows[0].n).toBe(3_000_000)
    expect(rows[0].text === text).toBe(true)
  })
})

describe('on disk', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'loam-embedded-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  const open = (statementLimitMs?: number): Promise<Database> =>
    openDatabase({ dir: join(dir, 'db'), log, ...(statementLimitMs && { statementLimitMs }) })

  test('what an interrupted first start left is swept away, and the next start succeeds unaided', async () => {
    await mkdir(join(dir, 'db', 'cluster.new-4711', 'base'), { recursive: true })
    await writeFile(join(dir, 'db', 'cluster.new-4711', 'PG_VERSION'), '18')
    {
      await using database = await open()
      await sql`create table kept (a integer)`.execute(database.db)
    }
    expect((await readdir(join(dir, 'db'))).sort()).toEqual(['cluster', 'holder.json'])
  })

  test('a start that was killed before it had written the engine’s lock file keeps nobody out', async () => {
    await writeFile(join(dir, 'db', 'cluster', 'postmaster.pid'), '')
    await using database = await open()
    const { rows } = await sql`select count(*)::int as n from kept`.execute(database.db)
    expect(rows).toEqual([{ n: 0 }])
  })

  test('commits wait for the disk', async () => {
    await using database = await open()
    const { rows } = await sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits`.execute(
      database.db,
    )
    expect(rows).toEqual([{ fsync: 'on', commits: 'on' }])
  })

  test('a statement that takes too long ends, is called a lost connection, and costs nothing acknowledged', async () => {
    await using database = await open(700)
    await sql`insert into kept values (1)`.execute(database.db)
    const began = performance.now()
    const endless = sql`select count(*) from generate_series(1, 100000000000)`.execute(database.db)
    const beside = sql`select 1`.execute(database.db)
    const [failure, other] = await Promise.allSettled([endless, beside])
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(failure.status).toBe('rejected')
    for (const one of [failure, other]) {
      if (one.status === 'rejected') {
        expect(awayBecause(one.reason)).toBe('the connection to the database was lost')
      }
    }
    await expect
      .poll(() => sql`select a from kept`.execute(database.db).then(({ rows }) => rows, String), {
        timeout: 20_000,
      })
      .toEqual([{ a: 1 }])
  })

  test('work that is known to take long is left alone', async () => {
    await using database = await open(300)
    const { rows } = await database.unhurried(() =>
      sql<{ n: number }>`select count(*) as n from generate_series(1, 6000000)`.execute(
        database.db,
      ),
    )
    expect(rows).toEqual([{ n: 6_000_000 }])
  })

  test('what it holds of the tables in memory follows their size, from its next start on', async () => {
    const buffers = async (database: Database): Promise<number> => {
      const { rows } = await sql<{ mib: number }>`
        select setting::int / 128 as mib from pg_settings where name = 'shared_buffers'`.execute(
        database.db,
      )
      return rows[0]!.mib
    }
    const at = join(dir, 'grown')
    {
      await using database = await openDatabase({ dir: at, log })
      expect(await buffers(database)).toBe(16)
      await sql`create table large as
        select repeat(md5(n::text), 60) as text from generate_series(1, 25000) n`.execute(
        database.db,
      )
      expect(await buffers(database)).toBe(16)
    }
    await using database = await openDatabase({ dir: at, log })
    // Half of some 70 MB: the table, and what each cluster begins with.
    expect(await buffers(database)).toBeGreaterThan(28)
    expect(await buffers(database)).toBeLessThan(50)
  })

  test('the tables that changed most are vacuumed and analysed, one at a time, until none needs it', async () => {
    await using database = await open()
    const { db } = database
    await sql`create table busy as select generate_series(1, 2000) as a`.execute(db)
    await sql`update busy set a = a + 1`.execute(db)
    expect(await tidyOne(db, unhurried)).toBe(true)
    for (let more = 0; (await tidyOne(db, unhurried)) && more < 50;) more++
    const { rows } = await sql`
      select n_dead_tup as dead, last_vacuum is not null as vacuumed, last_analyze is not null as analysed
      from pg_stat_user_tables where relname = 'busy'`.execute(db)
    expect(rows).toEqual([{ dead: 0, vacuumed: true, analysed: true }])
  })

  test('a table that was filled before the engine was opened anew is tidied as well, once', async () => {
    const at = join(dir, 'refilled')
    const tidied = async ({ db }: Database): Promise<number> => {
      let count = 0
      while ((await tidyOne(db, unhurried)) && count < 50) count++
      return count
    }
    {
      await using database = await openDatabase({ dir: at, log })
      await tidied(database)
      await sql`create table filled as select generate_series(1, 20000) as a`.execute(database.db)
    }
    await using database = await openDatabase({ dir: at, log })
    expect(await tidied(database)).toBeGreaterThan(0)
    const { rows } = await sql`
      select reltuples::int as rows, relallvisible > 80 as visible from pg_class
      where relname = 'filled'`.execute(database.db)
    expect(rows).toEqual([{ rows: 20_000, visible: true }])
    expect(await tidied(database)).toBe(0)
  })

  describe('a table is tidied', () => {
    type Work = Pick<Embedded, 'workedMs' | 'isAtWork'>
    /** An engine of which statements take this part of the time. */
    const working = (part: number): Work => ({
      workedMs: () => performance.now() * part,
      isAtWork: () => false,
    })
    const rounds = {
      everyMs: 50,
      lookMs: 50,
      looks: 2,
      longestWaitMs: 1_000_000,
      soonMs: 1_000_000,
    }
    const isTidied = async (work: Work, tidying: Partial<Tidying> = {}): Promise<boolean> => {
      await using database = await open()
      const { db } = database
      await sql`drop table if exists changed`.execute(db)
      await sql`create table changed as select generate_series(1, 2000) as a`.execute(db)
      const tidy = keepTidy(db, { ...unhurried, ...work }, log, { ...rounds, ...tidying })
      let rows = -1
      for (let look = 0; look < 30 && rows < 0; look++) {
        await sleep(50)
        rows = await rowsOf(db)
      }
      await tidy.stop()
      return rows === 2_000
    }
    /** As plans know them; less than none: they do not. */
    const rowsOf = async (db: Db): Promise<number> => {
      const { rows } = await sql<{ rows: number }>`
        select reltuples::int as rows from pg_class where relname = 'changed'`.execute(db)
      return rows[0]!.rows
    }

    test('while the service asks a little by itself all the time', async () => {
      expect(await isTidied(working(0.05))).toBe(true)
    })

    test('not while somebody asks much, or a statement runs', async () => {
      expect(await isTidied(working(0.5))).toBe(false)
      expect(await isTidied({ workedMs: () => 0, isAtWork: () => true })).toBe(false)
    })

    test('at once when much was written into it that no plan knows', async () => {
      expect(await isTidied(working(0.5), { soonMs: 50 })).toBe(true)
    })

    test('in the end also where somebody always asks much', async () => {
      expect(await isTidied(working(0.5), { longestWaitMs: 200 })).toBe(true)
    })
  })

  describe('the log', () => {
    const piecesOf = async (db: Db) => {
      const { rows } = await sql<{ now: number; ahead: number }>`
        select count(*)::int as now,
          (count(*) filter (where name > pg_walfile_name(pg_current_wal_lsn())))::int as ahead
        from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'`.execute(db)
      return rows[0]!
    }
    const write = (db: Db, megabytes: number) =>
      sql`select pg_logical_emit_message(false, 'x', repeat('x', 1000000))
        from generate_series(1, ${megabytes})`.execute(db)
    const engine = (room: number) => ({
      room: async () => room,
      unhurried: <T>(work: () => Promise<T>) => work(),
    })

    test('stays short however much is written, and has pieces ahead before they are needed', async () => {
      await using database = await openDatabase({ dir: join(dir, 'log'), log })
      const { db } = database
      await tendLog(db, engine(Infinity))
      expect(await piecesOf(db)).toEqual({ now: 5, ahead: 4 })
      for (let written = 0; written < 112; written += 14) {
        await write(db, 14)
        const { ahead } = await piecesOf(db)
        expect(ahead).toBeGreaterThanOrEqual(1)
        await tendLog(db, engine(Infinity))
        expect(await piecesOf(db)).toEqual({ now: 5, ahead: expect.toBeOneOf([2, 3, 4]) })
      }
    })

    test('is looked after while the database is open', async () => {
      await using database = await openDatabase({ dir: join(dir, 'tended'), log })
      await expect
        .poll(() => piecesOf(database.db), { timeout: 20_000, interval: 200 })
        .toEqual({ now: 5, ahead: 4 })
    })

    test('takes no more of a disk that is nearly full, and gives back what it has', async () => {
      await using database = await openDatabase({ dir: join(dir, 'narrow'), log })
      const { db } = database
      await tendLog(db, engine(100 * 1024 * 1024))
      expect(await piecesOf(db)).toEqual({ now: 1, ahead: 0 })
      await write(db, 34)
      expect(await piecesOf(db)).toEqual({ now: 3, ahead: 0 })
      await tendLog(db, engine(0))
      expect(await piecesOf(db)).toEqual({ now: 3, ahead: 2 })
    })
  })

  test('a cluster that does not open is tried once, and its thread is gone when that is told', async () => {
    const cluster = join(dir, 'unopened', 'cluster')
    await mkdir(cluster, { recursive: true })
    await writeFile(join(cluster, 'PG_VERSION'), '')
    let lives = 0
    const counting = pino({ level: 'error' }, { write: () => void lives++ })
    const attempt = openEmbedded({ cluster: { name: cluster, at: cluster }, log: counting })
    await expect(attempt).rejects.toThrow(/cannot be used/)
    await sleep(1_500)
    expect(lives).toBe(1)
  })

  test('a cluster of another release, or a damaged one, is named in one sentence with what to do', async () => {
    const cluster = join(dir, 'damaged', 'cluster')
    await mkdir(cluster, { recursive: true })
    await writeFile(join(cluster, 'PG_VERSION'), '11\n')
    const attempt = (): Promise<Database> => openDatabase({ dir: join(dir, 'damaged'), log })
    await expect(attempt()).rejects.toThrow(
      /cannot be used: it was made by another release of PostgreSQL: start the version/,
    )
    await writeFile(join(cluster, 'PG_VERSION'), '18\n')
    await expect(attempt()).rejects.toThrow(
      /cannot be used: it is damaged: .* move \S+cluster aside and keep it: .* from the files, without the rest/,
    )
  })
})
