import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { Db } from '../../src/kernel/kernel.ts'
import { sinceBoot, type SinceBoot } from '../../src/postgres/since-boot.ts'
import { takeLease } from '../../src/postgres/leases.ts'
import { keepSteady } from '../../src/postgres/steady-clock.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { bareKernel } from '../helpers/kernel.ts'

const STEPS = ['-1 day', '1 day', '-1 hour', '1 hour', '-3 seconds', '20 years']

/** Sets the database's own clock, as the owner of its machine or a time server would. */
async function setClock(db: Db, by: string): Promise<void> {
  const text = `select clock_timestamp() + interval '${by}'`
  await sql`
    create or replace function wall_clock() returns timestamptz language sql volatile parallel safe
    as ${sql.lit(text)}`.execute(db)
}

interface State {
  /** How far loam_now() is from elapsed time, in milliseconds; it should not change. */
  ahead: number
  moved: number
  correction: number
}

async function stateOf({ app }: House): Promise<State> {
  const { rows } = await sql<State & { now: number }>`
    select extract(epoch from loam_now())::double precision * 1000 as now, moved,
      extract(epoch from correction)::double precision as correction
    from clock`.execute(app.database.db)
  const [{ now, ...state } = { now: 0, moved: 0, correction: 0 }] = rows
  return { ...state, ahead: now - performance.now() }
}

/** Sets the clock and waits until that was seen. */
async function step(house: House, by: string): Promise<State> {
  const { moved } = await stateOf(house)
  await setClock(house.app.database.db, by)
  return seen(house, moved)
}

const seen = (house: House, moved: number): Promise<State> =>
  vi.waitFor(
    async () => {
      const state = await stateOf(house)
      expect(state.moved).toBeGreaterThan(moved)
      return state
    },
    { timeout: 60_000, interval: 50 },
  )

/** Half the time that an answer may take, twice, and what this machine adds. */
const LOOSE_MS = 1_500

const openOn = (dir: string, machine?: SinceBoot): Promise<House> =>
  buildHouse({ dir, onDisk: true, ...(machine && { machine }) })

test('time goes on by what has elapsed, whichever way the clock of the database is set', async () => {
  await using folder = await openFolder()
  await using house = await openOn(folder.path)
  const { ahead } = await stateOf(house)
  for (const by of STEPS) {
    const after = await step(house, by)
    expect(Math.abs(after.ahead - ahead), by).toBeLessThan(LOOSE_MS * STEPS.length)
  }
  const steps = await house.events('clock.stepped')
  const seconds = steps.map(({ payload }) => Math.round(Number(payload['step_ms']) / 3_600_000))
  expect(seconds).toEqual([-24, 48, -25, 2, -1, 175_320])
})

test('a lease ends in its time though the clock is set back by a day', async () => {
  await using folder = await openFolder()
  await using house = await openOn(folder.path)
  const id = await claimed(house, 2)
  await step(house, '-1 day')
  const bob = await atWork(house, 'bob')
  await vi.waitFor(() => bob.call('tasks_claim', { id }), { timeout: 60_000, interval: 50 })
})

test('a lease lasts its time though the clock is set ahead by a day', async () => {
  await using folder = await openFolder()
  await using house = await openOn(folder.path)
  const id = await claimed(house, 600)
  await step(house, '1 day')
  const bob = await atWork(house, 'bob')
  await expect(bob.call('tasks_claim', { id })).rejects.toThrow('already claimed')
})

test('a step that no process saw is put right before anything is served', async () => {
  await using folder = await openFolder()
  for (const by of ['-1 day', '1 day']) {
    const before = await openOn(folder.path)
    const { ahead } = await stateOf(before)
    await before.close()
    const database = await openTestDatabase({ onDisk: folder.path })
    await setClock(database.db, by)
    await database.close()
    await using after = await openOn(folder.path)
    expect(Math.abs((await stateOf(after)).ahead - ahead)).toBeLessThan(LOOSE_MS)
  }
})

test.skipIf(!process.env['LOAM_TEST_DATABASE_URL'])(
  'one of two processes puts the clock right, and the other one after its death',
  async () => {
    await using folder = await openFolder()
    const first = await openOn(folder.path)
    await using second = await openOn(folder.path)
    const { ahead } = await stateOf(second)
    await step(second, '-1 day')
    await first.close()
    const after = await step(second, '1 day')
    expect(Math.abs(after.ahead - ahead)).toBeLessThan(2 * LOOSE_MS)
    expect(await second.events('clock.stepped')).toHaveLength(2)
  },
)

test('after a new start of the machine the clock counts as it is set', async () => {
  await using folder = await openFolder()
  const before = await openOn(folder.path)
  const { correction } = await step(before, '-1 day')
  expect(correction).toBeCloseTo(86_400, -1)
  await before.close()
  const machine: SinceBoot = { boot: 'another start', upMs: () => sinceBoot().upMs() - 3_000 }
  await using after = await openOn(folder.path, machine)
  expect((await stateOf(after)).correction).toBe(0)
})

test('a step of less than two seconds is none', async () => {
  await using folder = await openFolder()
  await using house = await openOn(folder.path)
  await setClock(house.app.database.db, '1 second')
  await sleep(1_500)
  expect(await house.events('clock.stepped')).toEqual([])
})

test('when nothing is held the clock counts as it is set again, and the leases of jobs go along', async () => {
  await using database = await openTestDatabase()
  const kernel = bareKernel(database)
  const { db } = database
  let quiet = false
  const isQuiet = () => Promise.resolve(quiet)
  const clock = await keepSteady(kernel, { alone: true, isQuiet, settleEveryMs: 1 })
  await takeLease(kernel, 'job', 60_000, 'me')
  const house = { app: { database } } as unknown as House
  const { ahead } = await stateOf(house)
  const busy = await step(house, '-1 day')
  expect(Math.abs(busy.ahead - ahead)).toBeLessThan(LOOSE_MS)
  quiet = true
  const calm = await seen(house, busy.moved)
  expect(calm.correction).toBe(0)
  expect(Math.abs(calm.ahead - ahead + 86_400_000)).toBeLessThan(2 * LOOSE_MS)
  const { rows } = await sql<{ runs: boolean }>`
    select until between loam_now() and loam_now() + interval '1 minute' as runs
    from leases where name = 'job'`.execute(db)
  expect(rows).toEqual([{ runs: true }])
  await clock.stop()
})

async function atWork(house: House, name: string) {
  const agent = await house.connect(name)
  await agent.call('session_start', { project: 'atlas' })
  return agent
}

async function claimed(house: House, seconds: number): Promise<string> {
  const alice = await atWork(house, 'alice')
  const { id } = await alice.call('tasks_add', { title: 'T' })
  await alice.call('tasks_claim', { id, lease_seconds: seconds })
  return id
}
