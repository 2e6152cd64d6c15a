import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Db, Kernel } from '../../src/kernel/kernel.ts'
import { newId } from '../../src/kernel/id.ts'
import { loadConfig } from '../../src/config.ts'
import { switchFeatures } from '../../src/features/features.ts'
import type { Database } from '../../src/postgres/database.ts'
import { LogFeed } from '../../src/postgres/feed.ts'
import { unfollow, LogFollowers, type Follower } from '../../src/postgres/followers.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'

const CHANNEL = 'loam_features'
const server = process.env['LOAM_TEST_DATABASE_URL']

let database: Database
let kernel: Kernel
let closing: { close(): unknown }[]
let on: Set<string>

beforeEach(async () => {
  database = await openTestDatabase()
  closing = []
  on = new Set(['counter'])
  const feed = new LogFeed({ database, storeId: 'a store', log: pino({ level: 'silent' }) })
  kernel = { ...bareKernel(database), feed }
  closing.push(feed)
})
afterEach(async () => {
  for (const one of closing.toReversed()) await one.close()
  await database.close()
})

/** Keeps in the database what it was handed, in the transaction that hands it over. */
function counter(over: Partial<Follower> = {}): Follower & { handed: string[] } {
  const handed: string[] = []
  return {
    name: 'counter',
    kinds: ['note.written'],
    async take({ db }, { events, past }) {
      for (const { id } of events) {
        handed.push(id)
        await sql`insert into settings (key, value) values (${`handed ${id}`}, ${past})`.execute(db)
      }
    },
    handed,
    ...over,
  }
}

async function open(follower: Follower): Promise<LogFollowers> {
  const options = { database, followers: [follower], switchedOn: async () => on, channel: CHANNEL }
  const followers = new LogFollowers(options)
  closing.push(followers)
  await followers.start(kernel)
  return followers
}

async function insert(db: Db, count = 1, kind = 'note.written'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(new Date()))
  await sql`insert into events (id, ts, kind, transport)
    select id, loam_now(), ${kind}, false
    from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as id`.execute(db)
  return ids
}

async function kept(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select substr(key, 8) as id from settings where key like 'handed %' order by key`.execute(
    database.db,
  )
  return rows.map(({ id }) => id)
}

const rowsOf = async (): Promise<unknown[]> => {
  const { rows } = await sql`select name from followers`.execute(database.db)
  return rows
}

describe('a follower of the log', () => {
  test('is handed what is recorded from its beginning on, by itself, and nothing else', async () => {
    await insert(database.db, 2)
    await open(counter())
    const ids = await insert(database.db, 3)
    await insert(database.db, 1, 'note.read')
    await expect.poll(kept).toEqual(ids)
  })

  test('is handed each event once, whichever process comes first', async () => {
    const [one, two] = [counter(), counter()]
    const [here, there] = [await open(one), await open(two)]
    const ids: string[] = []
    for (let round = 0; round < 20; round++) {
      ids.push(...(await insert(database.db, 1 + (round % 4))))
      await Promise.all([here.caughtUp('counter'), there.caughtUp('counter')])
    }
    expect([...one.handed, ...two.handed].toSorted()).toEqual(ids.toSorted())
    expect(await kept()).toEqual(ids)
  })

  test('is caught up with all that was committed before it was asked, however much it is', async () => {
    const follower = counter({ take: async (_, { events }) => void pages.push(events.length) })
    const pages: number[] = []
    const followers = await open(follower)
    await insert(database.db, 2_345)
    await followers.caughtUp('counter')
    expect(pages.reduce((sum, n) => sum + n, 0)).toBe(2_345)
    expect(Math.max(...pages)).toBe(1_000)
  })

  test('is handed again what it failed to take, and the log goes on meanwhile', async () => {
    let trouble = true
    const follower = counter()
    const { take } = follower
    follower.take = async (kernel, page) => {
      await take(kernel, page)
      if (trouble) throw new Error('not now')
    }
    const followers = await open(follower)
    const ids = await insert(database.db, 2)
    await followers.caughtUp('counter')
    expect(await kept()).toEqual([])
    trouble = false
    ids.push(...(await insert(database.db, 1)))
    await followers.caughtUp('counter')
    expect(await kept()).toEqual(ids)
  })

  test('goes on after a process that ended in between', async () => {
    await (await open(counter())).close()
    const ids = await insert(database.db, 2)
    await open(counter())
    await expect.poll(kept).toEqual(ids)
  })

  test('counts what was there before it began, apart from what came then', async () => {
    const before = await insert(database.db, 1_500)
    let begun = 0
    const seen: [past: boolean, ids: string[]][] = []
    const follower = counter({
      begin: async () => begun++,
      past: { kinds: ['note.written'], from: async () => new Date(0) },
      take: async (_, { events, past }) => void seen.push([past, events.map(({ id }) => id)]),
    })
    const followers = await open(follower)
    const then = await insert(database.db, 3)
    await followers.caughtUp('counter')
    const told = (wanted: boolean) => seen.flatMap(([past, ids]) => (past === wanted ? ids : []))
    expect(told(true).toSorted()).toEqual(before.toSorted())
    expect(told(false)).toEqual(then)
    expect([seen.at(-1)![0], begun]).toEqual([false, 1])
  })

  test('is handed the rest when it is switched off, and then no more', async () => {
    const follower = counter()
    const followers = await open(follower)
    const ids = await insert(database.db, 2)
    await unfollow(kernel, follower)
    on.clear()
    expect(await kept()).toEqual(ids)
    await insert(database.db, 2)
    await followers.caughtUp('counter')
    expect([await kept(), await rowsOf()]).toEqual([ids, []])
  })

  test('begins anew where its row is from another cluster', async () => {
    await (await open(counter())).close()
    await sql`update followers set prev = '9000000000:9000000000:', now = '9000000000:9000000000:'`.execute(
      database.db,
    )
    await open(counter())
    const ids = await insert(database.db, 2)
    await expect.poll(kept).toEqual(ids)
  })

  test('that the configuration switched off while no service ran is handed nothing of that time', async () => {
    await (await open(counter())).close()
    await insert(database.db, 2)
    on.clear()
    await (await open(counter())).close()
    expect(await rowsOf()).toEqual([])
    on.add('counter')
    await open(counter())
    const ids = await insert(database.db, 1)
    await expect.poll(kept).toEqual(ids)
  })

  test.skipIf(!server)('is handed what other transactions commit late, once', async () => {
    const followers = await open(counter())
    const late: string[] = []
    await database.db.transaction().execute(async (db) => {
      late.push(...(await insert(db, 2)))
      const early = await insert(database.db, 2)
      await followers.caughtUp('counter')
      expect(await kept()).toEqual(early)
      late.push(...early)
    })
    await followers.caughtUp('counter')
    expect(await kept()).toEqual(late.toSorted())
  })
})

describe('while nobody is switched on', () => {
  test('nothing is asked, however much happens', async () => {
    on.clear()
    let asked = 0
    kernel.db = database.db.withPlugin({
      transformQuery: ({ node }) => (asked++, node),
      transformResult: async ({ result }) => result,
    })
    const looks: Promise<unknown>[] = []
    const options = {
      ...{ database, followers: [counter()], channel: CHANNEL },
      switchedOn: async () => (looks.push(sleep(0)), on),
    }
    const followers = new LogFollowers(options)
    closing.push(followers)
    await followers.start(kernel)
    await expect.poll(() => database.listening()).toBe(true)
    // At the start it looks until it is sure to be told.
    await sleep(2_100)
    const before = [asked, looks.length]
    await insert(database.db, 5)
    await sleep(500)
    expect([asked, looks.length]).toEqual(before)
    expect(asked).toBe(1)
  })

  test('a switch in another process is heard at once', async () => {
    on.clear()
    const follower = counter()
    await open(follower)
    await expect.poll(() => database.listening()).toBe(true)
    on.add('counter')
    const { config } = await loadConfig({ env: { HOME: '/nowhere' }, cwd: '/nowhere' })
    const telemetry = { flush: async () => {} } as Kernel['telemetry']
    await switchFeatures({ ...kernel, config, telemetry }, 'console', { momentum: true })
    await expect.poll(rowsOf).toEqual([{ name: 'counter' }])
    const ids = await insert(database.db, 1)
    await expect.poll(kept).toEqual(ids)
  })
})
