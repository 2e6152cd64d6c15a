import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import type { FailpointName } from '../../src/kernel/failpoint.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { invalid } from '../../src/kernel/refusal.ts'
import { lockKey } from '../../src/vault/paths.ts'
import type { Agent } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openHouse, type House } from '../helpers/house.ts'

const ONE_PROCESS = !process.env['LOAM_TEST_DATABASE_URL']
/** A write waits for this long at a gate before the others are thought to wait behind it. */
const GATHERED_MS = 300

/** The writes that were held pass the later failpoints first. */
const NTH = 5

type Act = (passing: number) => Promise<void> | void

/** A house whose writes wait at a gate when it is shut, and do something at a failpoint when it is armed. */
async function armedHouse() {
  let gate: Promise<void> | undefined
  let armed: { at: FailpointName; act: Act } | undefined
  let passed = 0
  const house = await openHouse({
    database: await openTestDatabase({ pool: 8 }),
    async failpoint(name) {
      if (name === 'before-commit') await gate
      if (name === armed?.at) await armed.act(++passed)
    },
  })
  const agent = await house.connect()
  await agent.call('memory_write', memory('first'))
  return {
    house,
    agent,
    shut: (until: Promise<void>) => void (gate = until),
    arm: (at: FailpointName, act: Act) => void (armed = { at, act }),
    /** How often the armed failpoint was passed. */
    passed: () => passed,
  }
}

const memory = (name: string, more: object = {}) => ({
  ...{ name, kind: 'reference', description: `about ${name}`, body: `${name} holds` },
  project: 'atlas',
  ...more,
})

const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `fact-${n}`)

/** How many writes each transaction made. */
async function transactions(house: House): Promise<number[]> {
  const { rows } = await sql<{ writes: number }>`
    select count(*)::int as writes from events where kind = 'memory.written'
    group by tx order by min(id)`.execute(house.app.database.db)
  return rows.map(({ writes }) => writes)
}

/** Every memory has its file, its row and one event, and there is no other. */
async function whole(house: House, names: readonly string[]): Promise<void> {
  const { db } = house.app.database
  const all = ['first', ...names].sort()
  expect(await house.files()).toEqual(all.map((name) => `memory/atlas/${name}.md`))
  const { rows } = await sql<{ name: string; row: string; file: string }>`
    select m.name, m.content_hash as row, f.content_hash as file
    from memories m join files f using (path) order by name`.execute(db)
  expect(rows.map(({ name }) => name)).toEqual(all)
  for (const { name, row, file } of rows) {
    const hash = await house.sha256(`memory/atlas/${name}.md`)
    expect([row, file], name).toEqual([hash, hash])
  }
  const events = await house.events('memory.written')
  expect(events.map(({ payload }) => String(payload['name'])).sort()).toEqual(all)
}

/** Holds the first writes at their commit until the others wait behind them, then lets all go. */
async function inCompany<T>(
  { agent, shut }: Awaited<ReturnType<typeof armedHouse>>,
  work: () => Promise<T>,
  then = () => {},
): Promise<T> {
  const gate = Promise.withResolvers<void>()
  shut(gate.promise)
  // As many as may be under way at once.
  const before = ['held-0', 'held-1'].map((name) => agent.call('memory_write', memory(name)))
  await sleep(GATHERED_MS)
  const working = work()
  await sleep(GATHERED_MS)
  then()
  gate.resolve()
  await Promise.all(before)
  return working
}

const write = (agent: Agent, name: string, more?: object): Promise<unknown> =>
  agent.call('memory_write', memory(name, more))

/** Writes all of them at once; those that are named fail in words. */
const writeAll = (agent: Agent, names: readonly string[]): Promise<string[]> =>
  Promise.all(
    names.map((name) =>
      write(agent, name).then(
        () => 'written',
        (error: Error) => error.message,
      ),
    ),
  )

const written = (names: readonly string[]): string[] => names.map(() => 'written')

describe('writes that wait while another is under way', () => {
  test('share transactions, each with its file, row and event', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const names = named(12)

    expect(await inCompany(armed, () => writeAll(armed.agent, names))).toEqual(written(names))

    await whole(house, [...names, 'held-0', 'held-1'])
    expect((await transactions(house)).length).toBeLessThan(10)
  })

  test('are at most thirty-two in one', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const names = named(80)

    await inCompany(armed, () => writeAll(armed.agent, names))

    await whole(house, [...names, 'held-0', 'held-1'])
    expect(Math.max(...(await transactions(house)))).toBeLessThanOrEqual(32)
  })

  test('are refused each for itself', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const { agent } = armed
    const names = named(6)

    const [outcomes, stale] = await inCompany(armed, () =>
      Promise.all([
        writeAll(agent, names),
        write(agent, 'first', { expect_hash: 'a'.repeat(64) }).catch(({ message }) => message),
      ]),
    )

    expect(outcomes).toEqual(written(names))
    expect(stale).toMatch(/^memory_write: expect_hash "a+" is stale/)
    await whole(house, [...names, 'held-0', 'held-1'])
  })

  test('do not touch one that another program writes meanwhile', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const { agent, arm } = armed
    const names = named(6)
    const path = join(house.dir, 'memory/atlas/first.md')

    const outcomes = await inCompany(
      armed,
      () =>
        Promise.all([
          writeAll(agent, names),
          agent.call('memory_append', { name: 'first', project: 'atlas', body: 'by an agent' }),
        ]),
      () =>
        arm('after-fsync', async (passing) => {
          if (passing === 1) await appendFile(path, 'by hand\n')
        }),
    )

    expect(outcomes[0]).toEqual(written(names))
    const text = await readFile(path, 'utf8')
    expect(text).toContain('by hand')
    expect(text).toContain('by an agent')
  })
})

describe('a failure among writes in one transaction', () => {
  test.each(['before-temp', 'after-temp', 'after-fsync', 'before-rename'] as const)(
    'at %s leaves the others whole, and tries the one again',
    async (at) => {
      const armed = await armedHouse()
      await using house = armed.house
      const names = named(8)

      const outcomes = await inCompany(
        armed,
        () => writeAll(armed.agent, names),
        () =>
          armed.arm(at, (passing) => {
            if (passing === NTH) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
          }),
      )
      expect(armed.passed()).toBeGreaterThan(NTH)

      expect(outcomes).toEqual(written(names))
      await whole(house, [...names, 'held-0', 'held-1'])
    },
  )

  test('of one that fails whenever it is tried is its own', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const names = named(5)
    // What is in the way is no file: it can be neither read nor replaced.
    await writeFile(join(house.dir, 'memory/occupied'), 'a file where a directory belongs')

    const outcomes = await inCompany(armed, () =>
      Promise.all([
        writeAll(armed.agent, names),
        write(armed.agent, 'lost', { project: 'occupied' }).catch(({ message }) => message),
      ]),
    )

    expect(outcomes[0]).toEqual(written(names))
    expect(outcomes[1]).toMatch(/is a link or not a regular file/)
    expect(await house.events('memory.written')).toHaveLength(names.length + 3)
  })

  test.each(['after-rename', 'after-dir-fsync', 'before-commit', 'after-commit'] as const)(
    'at %s is answered as a success of each, applied once',
    async (at) => {
      const armed = await armedHouse()
      await using house = armed.house
      const names = named(8)

      const outcomes = await inCompany(
        armed,
        () => writeAll(armed.agent, names),
        () =>
          armed.arm(at, (passing) => {
            if (passing === NTH) throw new Error('the cable is out')
          }),
      )
      expect(armed.passed()).toBeGreaterThan(NTH)

      expect(outcomes).toEqual(written(names))
      await whole(house, [...names, 'held-0', 'held-1'])
    },
  )
})

describe.skipIf(ONE_PROCESS)('a path that another process holds', () => {
  test('keeps its own write waiting and no other', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const { db } = house.app.database
    const names = named(6)
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.transaction().execute(async (transaction) => {
      const key = lockKey('memory/atlas/contested.md')
      await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(transaction)
      held.resolve()
      await free.promise
    })
    await held.promise

    const contested = write(armed.agent, 'contested')
    await sleep(GATHERED_MS)
    expect(await writeAll(armed.agent, names)).toEqual(written(names))
    free.resolve()
    await Promise.all([holding, contested])

    await whole(house, [...names, 'contested'])
  })

  test('is judged for its write as it is when it is free, and not as it was before', async () => {
    const armed = await armedHouse()
    await using house = armed.house
    const { db } = house.app.database
    const stranger = await house.connect()
    await stranger.call('session_start', { project: 'elsewhere' })
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.transaction().execute(async (transaction) => {
      const key = lockKey('memory/atlas/contested.md')
      await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(transaction)
      held.resolve()
      await free.promise
    })
    await held.promise

    const contested = write(stranger, 'contested')
    const refused = expect(contested).rejects.toThrow('project atlas is sealed')
    await sleep(GATHERED_MS)
    await db
      .updateTable('projects')
      .set({ isolation: 'sealed' })
      .where('slug', '=', 'atlas')
      .execute()
    free.resolve()
    await holding
    await refused
    await expect(readFile(join(house.dir, 'memory/atlas/contested.md'))).rejects.toThrow('ENOENT')
  })
})

test('what a write must know is asked behind its locks, and before they are answered', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await agent.call('memory_write', memory('first'))
  const happened: string[] = []
  const { query } = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown }
  const watching = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [asked] = given as [string | { text: string }]
    const text = typeof asked === 'string' ? asked : asked.text
    const name = ['pg_try_advisory', 'write_ground'].find((word) => text.includes(word))
    const answer = query.apply(this, given)
    if (name) {
      happened.push(`asked ${name}`)
      void (answer as Promise<unknown>).then(() => happened.push(`answered ${name}`))
    }
    return answer as never
  })
  await agent.call('memory_write', memory('second'))
  watching.mockRestore()
  expect(happened).toEqual([
    'asked pg_try_advisory',
    'asked write_ground',
    'answered pg_try_advisory',
    'answered write_ground',
  ])
})

test('what a write does not wait for is asked within it only where nothing else would answer meanwhile', async () => {
  await using house = await openHouse()
  const { kernel } = house.app
  const asked: boolean[] = []
  const answers: Promise<unknown>[] = []
  await kernel.vault.write(
    kernel,
    ['memory/atlas/none.md'],
    async () => ({ result: undefined, rows: async () => void (await Promise.all(answers)) }),
    {
      grouped: true,
      beside(db) {
        asked.push(db.isTransaction)
        answers.push(sql`select 1`.execute(db))
      },
    },
  )
  expect(asked).toEqual([ONE_PROCESS])
})

test('a write registers its files while its rows are under way, and tells what kept these from being written', async () => {
  await using house = await openHouse()
  const { kernel, database } = house.app
  const { promise: registered, resolve: register } = Promise.withResolvers<void>()
  const { query } = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown }
  const watching = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [asked] = given as [string | { text: string }]
    if ((typeof asked === 'string' ? asked : asked.text).includes('into "files"')) register()
    return query.apply(this, given) as never
  })
  const write = (path: string, rows: (db: Db) => Promise<void>) =>
    kernel.vault.write(kernel, [path], async (_, files) => {
      await files.read(path)
      files.put(path, Buffer.from('a word'))
      return { result: path, rows: async ({ db }) => rows(db) }
    })

  const path = 'notes/atlas/beside.md'
  // Rows that wait for it would never be answered if it waited for them.
  expect(await write(path, () => registered)).toMatchObject({ result: path })
  const failing = async (db: Db): Promise<void> => {
    await sql`select 1 / 0`.execute(db).catch(() => {
      throw invalid('these rows are wrong')
    })
  }
  await expect(write('notes/atlas/wrong.md', failing)).rejects.toThrow('these rows are wrong')
  watching.mockRestore()
  const { rows } = await sql<{ path: string }>`
    select path from files where path like 'notes/atlas/%'`.execute(database.db)
  expect(rows).toEqual([{ path }])
  expect(await readdir(join(house.dir, 'notes/atlas'))).toEqual(['beside.md'])
})
