import { globSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { ownerOf } from '../console/owner.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

/** What momentum and gamification alone ask: each file begins with its question. */
const QUESTIONS = globSync([
  'sql/{momentum,gamification}/*.sql',
  'sql/overview/{near,month}.sql',
]).map((path) => readFileSync(path, 'utf8').split('\n')[0]!)
/** When they are switched on, and no more. */
const AT_THE_SWITCH = /the best there ever were/
const TABLES = /\b(?:moments|momentum_counts|followers)\b/
const TIMERS = /src\/(?:postgres\/follow|momentum|gamification)/

const PAGES = [
  ...['/console/now', '/console/', '/console/projects', '/console/projects/atlas'],
  ...['/console/sessions', '/console/plans', '/console/tasks'],
]

/** A statement of the service about its tables, whatever they hold. */
const TIDYING = /^(?:analyze|vacuum)\b/

/** A day in short, and every statement and timer that it took. */
async function use(house: House, round: string): Promise<{ asked: string[]; timed: string[] }> {
  const asked: string[] = []
  const timed: string[] = []
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const { setTimeout: wait } = globalThis
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...args: unknown[]) => {
    timed.push(new Error('asked by').stack ?? '')
    return (wait as (...args: unknown[]) => unknown)(...args)
  }) as never)
  try {
    const session = { ...fixture('claude-code/session-start'), session_id: round }
    await callHook(house, 'session-start', session)
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const fact = { name: round, kind: 'gotcha', description: 'D', body: 'B' }
    await alice.call('memory_write', fact)
    await bob.call('memory_read', { name: round })
    await moveStep(house, await addStep(house, round), 'done')
    await house.app.kernel.telemetry.flush()
    const owner = ownerOf(house)
    for (const path of PAGES) {
      expect((await owner.json(path)).status).toBe(200)
      expect((await owner.get(path)).status).toBe(200)
    }
    for (const [given] of query.mock.calls as unknown[][]) {
      const text = String((given as { text?: string })?.text ?? given)
      if (!TIDYING.test(text)) asked.push(text)
    }
  } finally {
    query.mockRestore()
    timer.mockRestore()
  }
  return { asked, timed }
}

const asks = (asked: readonly string[], question: string) =>
  asked.some((text) => text.includes(question))

test('momentum and gamification ask nothing, wait for nothing and keep nothing while they are off', async () => {
  await using house = await openHouse()
  const { db } = house.app.database
  const rows = async () => (await sql`select from followers`.execute(db)).rows.length
  const off = await use(house, 'off')
  expect(off.asked.length).toBeGreaterThan(100)
  expect(QUESTIONS.filter((one) => asks(off.asked, one))).toEqual([])
  expect(off.asked.filter((text) => TABLES.test(text))).toEqual([])
  expect(off.timed.filter((stack) => TIMERS.test(stack))).toEqual([])
  expect(await rows()).toBe(0)

  await switchOn(house, 'momentum', 'gamification')
  await house.app.kernel.followers.caughtUp('momentum')
  const on = await use(house, 'on')
  const later = QUESTIONS.filter((one) => !AT_THE_SWITCH.test(one))
  expect(later.length).toBeGreaterThan(12)
  expect(later.filter((one) => !asks(on.asked, one))).toEqual([])
  expect(on.timed.some((stack) => TIMERS.test(stack))).toBe(true)
  expect(await rows()).toBe(2)

  const kept = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from moments`.execute(db)).rows[0]!.n
  const before = await kept()
  expect(before).toBeGreaterThan(0)
  await switchOff(house, 'momentum', 'gamification')
  const again = await use(house, 'again')
  expect(QUESTIONS.filter((one) => asks(again.asked, one))).toEqual([])
  expect(again.asked.filter((text) => TABLES.test(text))).toEqual([])
  expect(again.timed.filter((stack) => TIMERS.test(stack))).toEqual([])
  expect([await rows(), await kept()]).toEqual([0, before])
})
