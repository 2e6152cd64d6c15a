import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import type { Batch, Cursor } from '../../src/kernel/feed.ts'
import { isSnapshot, LogFeed, forgetForeignTransactions } from '../../src/postgres/feed.ts'
import { newId } from '../../src/kernel/id.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { openTestDatabase, testDatabase } from '../helpers/database.ts'
import { onServer } from '../helpers/postgres.ts'

const log = pino({ level: 'silent' })
const server = process.env['LOAM_TEST_DATABASE_URL']

let database: Database
let feeds: LogFeed[]

beforeEach(async () => {
  database = await openTestDatabase()
  feeds = []
})
afterEach(async () => {
  for (const feed of feeds) feed.close()
  await database.close()
})

function openFeed(over: Partial<Database> = {}): LogFeed {
  const feed = new LogFeed({ database: { ...database, ...over }, storeId: 'a store', log })
  feeds.push(feed)
  return feed
}

/** A subscriber that remembers. */
function reader(slow = 0) {
  const one = {
    ids: [] as string[],
    batches: [] as Batch[],
    begun: [] as { at: Cursor; lost: boolean }[],
    /** Where it would resume. */
    place: undefined as Cursor | undefined,
    taking: 0,
    most: 0,
    async take(batch: Batch) {
      one.most = Math.max(one.most, ++one.taking)
      one.batches.push(batch)
      for (const { id, tx } of batch.events) {
        one.ids.push(id)
        const { epoch, prev, now } = batch
        one.place = { epoch, prev, now, tx, id }
      }
      if (slow) await sleep(slow)
      one.taking--
    },
    begin(at: Cursor, lost: boolean) {
      one.begun.push({ at, lost })
      one.place = at
    },
  }
  return one
}

async function insert(db: Db, count = 1): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(new Date()))
  await sql`insert into events (id, ts, kind, transport)
    select id, loam_now(), 'note.written', false
    from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as id`.execute(db)
  return ids
}

describe('the tail', () => {
  test('hands out what is recorded from then on, once, to everybody', async () => {
    const feed = openFeed()
    await insert(database.db)
    const [one, two] = [reader(), reader()]
    await feed.follow(one)
    const first = await insert(database.db, 3)
    await expect.poll(() => one.ids).toEqual(first)
    await feed.follow(two)
    const second = await insert(database.db, 2)
    await expect.poll(() => two.ids).toEqual(second)
    expect(one.ids).toEqual([...first, ...second])
    expect(one.begun).toEqual([{ at: expect.anything(), lost: false }])
  })

  test('does not depend on being woken', async () => {
    await sql`alter table events disable trigger events_wake_feed`.execute(database.db)
    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const ids = await insert(database.db, 2)
    await expect.poll(() => one.ids).toEqual(ids)
  })

  test('forgets who left while it was joining', async () => {
    const feed = openFeed()
    const one = reader()
    const joining = feed.follow(one)
    feed.leave(one)
    await joining
    expect(feed.subscribers).toBe(0)
    expect(one.begun).toEqual([])
  })

  test('goes on behind the page where the database broke it off', async () => {
    let pages = 0
    const db = observing(database.db, (rows) => {
      if (rows[0] && 'payload' in rows[0] && ++pages === 2) throw new Error('gone')
    })
    const feed = openFeed({ db })
    const one = reader()
    await feed.follow(one)
    const ids = await insert(database.db, 1_700)
    await expect.poll(() => one.ids.length).toBeGreaterThanOrEqual(1_700)
    expect(one.ids).toEqual(ids)
    expect(pages).toBeGreaterThan(3)
  })

  test('tells everybody once when another cluster answers, and goes on there', async () => {
    let [system, failing] = ['1', false]
    const db = observing(database.db, (rows) => {
      if (rows[0] && 'system' in rows[0]) rows[0]['system'] = system
      if (failing && rows[0] && 'now' in rows[0]) {
        failing = false
        throw new Error('gone')
      }
    })
    const feed = openFeed({ db })
    const one = reader()
    await feed.follow(one)
    await insert(database.db)
    await expect.poll(() => one.ids.length).toBe(1)
    const old = one.place
    ;[system, failing] = ['2', true]
    await expect.poll(() => one.begun.map(({ lost }) => lost)).toEqual([false, true])
    const ids = await insert(database.db)
    await expect.poll(() => one.ids.slice(1)).toEqual(ids)

    const two = reader()
    await feed.follow(two, old)
    expect(two.begun.map(({ lost }) => lost)).toEqual([true])
    expect(two.ids).toEqual([])
  })
})

describe('a wake-up', () => {
  test('passes the gate at most every 20 ms', async () => {
    await expect.poll(() => database.listening()).toBe(true)
    let woken = 0
    using _ = database.listen('loam_events', () => woken++)
    await expect.poll(() => woken).toBe(1)
    const began = performance.now()
    let inserts = 0
    while (performance.now() - began < 500) {
      // Several at once, or a slow machine would never come near the gate.
      await Promise.all([1, 2, 3, 4].map(() => insert(database.db)))
      inserts += 4
    }
    const most = (performance.now() - began) / 20 + 1
    await sleep(100)
    expect(woken - 1).toBeLessThanOrEqual(most)
    expect(woken - 1).toBeLessThan(inserts)
    expect(woken - 1).toBeGreaterThan(1)
  })

  test('is not sent for what is rolled back, and the gate opens again', async () => {
    await expect.poll(() => database.listening()).toBe(true)
    let woken = 0
    using _ = database.listen('loam_events', () => woken++)
    await expect.poll(() => woken).toBe(1)
    await database.db
      .transaction()
      .execute(async (db) => {
        await insert(db)
        throw new Error('undone')
      })
      .catch(() => {})
    await sleep(60)
    expect(woken).toBe(1)
    await insert(database.db)
    await expect.poll(() => woken).toBe(2)
  })

  test('lost in the closed gate is made up for at once', async () => {
    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const ids = [...(await insert(database.db)), ...(await insert(database.db))]
    await expect.poll(() => one.ids).toEqual(ids)
  })

  test('opens a gate whose clock was set back', async () => {
    await expect.poll(() => database.listening()).toBe(true)
    let woken = 0
    using _ = database.listen('loam_events', () => woken++)
    await expect.poll(() => woken).toBe(1)
    const tomorrow = Date.now() + 86_400_000
    await sql`select setval('feed_gate', ${tomorrow}::bigint)`.execute(database.db)
    await insert(database.db)
    await expect.poll(() => woken).toBe(2)
  })
})

describe('a place', () => {
  test('is enough to go on from on another process, at any row of a batch', async () => {
    const [here, there] = [openFeed(), openFeed()]
    const one = reader()
    await here.follow(one)
    const ids = await insert(database.db, 5)
    await expect.poll(() => one.ids).toEqual(ids)
    const [batch] = one.batches
    const later = await insert(database.db, 2)
    for (const [index, { id, tx }] of batch!.events.entries()) {
      const two = reader()
      const { epoch, prev, now } = batch!
      await there.follow(two, { epoch, prev, now, tx, id })
      expect(two.ids).toEqual([...ids.slice(index + 1), ...later])
      there.leave(two)
    }
  })

  test('far behind is made up for at the pace of its reader, a page at a time', async () => {
    const feed = openFeed()
    const first = reader()
    await feed.follow(first)
    const { place } = first
    feed.leave(first)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(...(await insert(database.db, 500)))
    const one = reader(20)
    const following = feed.follow(one, place)
    // What comes meanwhile is not lost between the replay and the tail.
    for (let n = 0; n < 20; n++) {
      ids.push(...(await insert(database.db)))
      await sleep(5)
    }
    await following
    await expect.poll(() => one.ids.length).toBe(ids.length)
    expect(one.ids).toEqual(ids)
    expect(one.begun.map(({ lost }) => lost)).toEqual([false])
    expect(one.batches.every(({ events }) => events.length <= 500)).toBe(true)
  })

  test('behind 20,000 events is lost, before any of them is handed out', async () => {
    const feed = openFeed()
    const first = reader()
    await feed.follow(first)
    const { place } = first
    feed.leave(first)
    await insert(database.db, 20_001)
    const one = reader()
    await feed.follow(one, place)
    expect(one.begun.map(({ lost }) => lost)).toEqual([true])
    expect(one.ids).toEqual([])
  })

  test('is of snapshots that the database would not stumble over', async () => {
    const sound = ['5:5:', '5:9:5,7', '5:9:', `5:${'9'.repeat(18)}:7`]
    for (const text of sound) {
      expect(isSnapshot(text), text).toBe(true)
      await sql`select ${text}::pg_snapshot`.execute(database.db)
    }
    const broken = ['9:5:', '0:5:', '5:9:9', '5:9:4', '5:9:7,6', '5:9:7,', '5:9', "5:9:'", '']
    for (const text of [...broken, `5:${'9'.repeat(20)}:`]) {
      expect(isSnapshot(text), text).toBe(false)
    }
  })
})

describe('a log from another cluster', () => {
  test('is put behind the transactions of this one, whole, and new events are seen', async () => {
    const old = await insert(database.db, 3)
    await sql`update events set tx = '18446744073709551000' where id = ${old[1]!}`.execute(
      database.db,
    )
    expect(await forgetForeignTransactions(database)).toBe(3)
    expect(await forgetForeignTransactions(database)).toBe(0)

    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const ids = await insert(database.db)
    await expect.poll(() => one.ids).toEqual(ids)
  })

  test('leaves alone what is of this one', async () => {
    await insert(database.db, 3)
    expect(await forgetForeignTransactions(database)).toBe(0)
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from events where tx = '0'`.execute(database.db)
    expect(rows[0]!.n).toBe(0)
  })
})

describe.runIf(server)('with transactions that overlap', () => {
  let writers: pg.Client[]
  beforeEach(async () => {
    const { url } = await testDatabase()
    expect(url).toBeTruthy()
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    writers = await Promise.all(
      [rows[0]!.name, rows[0]!.name, 'postgres'].map(async (name) => {
        const client = new pg.Client({ connectionString: onServer(server!, name) })
        await client.connect()
        return client
      }),
    )
  })
  afterEach(() => Promise.all(writers.map((client) => client.end())))

  const put = async (client: pg.Client): Promise<string> => {
    const id = newId(new Date())
    await client.query(
      `insert into events (id, ts, kind, transport) values ($1, loam_now(), 'note.written', false)`,
      [id],
    )
    return id
  }

  test('one that commits last is told last, though its id is first', async () => {
    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const [slow, fast] = writers as [pg.Client, pg.Client]
    await slow.query('begin')
    const first = await put(slow)
    const second = await put(fast)
    await expect.poll(() => one.ids).toEqual([second])

    // Gone and back at another process, while the slow one is still open.
    feed.leave(one)
    const two = reader()
    await openFeed().follow(two, one.place)
    await slow.query('commit')
    await expect.poll(() => two.ids).toEqual([first])
    const three = reader()
    await openFeed().follow(three, one.place)
    expect(three.ids).toEqual([first])
  })

  test('one that is open elsewhere in the cluster stops nobody', async () => {
    const elsewhere = writers[2]!
    await elsewhere.query('begin')
    await elsewhere.query('select pg_current_xact_id()')
    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const ids = await insert(database.db, 2)
    await expect.poll(() => one.ids).toEqual(ids)
    await elsewhere.query('rollback')
  })

  test('one that is rolled back is never told', async () => {
    const feed = openFeed()
    const one = reader()
    await feed.follow(one)
    const [slow, fast] = writers as [pg.Client, pg.Client]
    await slow.query('begin')
    await put(slow)
    const id = await put(fast)
    await slow.query('rollback')
    await expect.poll(() => one.ids).toEqual([id])
    await sleep(450)
    expect(one.ids).toEqual([id])
  })
})

/** The same database, with a look at what each statement answers. */
function observing(db: Db, look: (rows: Record<string, unknown>[]) => void): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      look(result.rows as Record<string, unknown>[])
      return result
    },
  })
}
