import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { none } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { startService, type Service } from '../helpers/service.ts'
import { defineFault, spread } from './fault.ts'
import { KEY } from './store-process.ts'
import { openHand, PROCESSES, type Hand } from './task-hands.ts'

const PRELOAD = new URL('./clock-preload.ts', import.meta.url)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const STEPS = [
  -24 * HOUR,
  24 * HOUR,
  -HOUR,
  HOUR,
  -30_000,
  30_000,
  -365 * 24 * HOUR,
  365 * 24 * HOUR,
]
const LEASE = 4
/** What a lease may outlast its length by. */
const SLACK = 5
/** A machine that is busy with other work answers later. */
const UNTIMED = 12

/** When the clock is set: under a service, or while none runs. */
type When = 'running' | 'stopped' | 'killed'

export const clockSet = defineFault({
  id: 'R14-set',
  title: 'a lease ends in its time, whichever way the clock of the database is set',
  rounds: 24,

  async run({ rounds, random, timed }) {
    await using folder = await openFolder()
    const clock = await openClock(folder.path)
    const wrong: string[] = []
    const overrun: number[] = []
    let services = await startAll(folder.path, clock.env)
    try {
      for (let round = 0; round < rounds; round++) {
        const by = random.pick(STEPS)
        const when = random.pick<When>(['running', 'stopped', 'killed'])
        const scene = `set by ${by} ms, ${when}`
        const alice = await openHand({ services }, 'atlas', () => 0)
        const id = await claimed(alice)
        const began = performance.now()
        if (when === 'running') {
          await clock.step(by)
        } else {
          // Every process has looked at the clock by then.
          await sleep(1_100)
          for (const service of services) {
            await service.stop(when === 'killed' ? 'SIGKILL' : 'SIGTERM')
          }
          await clock.step(by)
          services = await startAll(folder.path, clock.env)
        }
        const bob = await openHand({ services }, 'atlas', () => services.length - 1)
        const after = await takenAfter(bob, id, began)
        overrun.push(after - LEASE * 1_000)
        if (after < LEASE * 1_000 - 500) wrong.push(`${scene}: taken after ${after.toFixed(0)} ms`)
        if (after > (LEASE + (timed ? SLACK : SLACK + UNTIMED)) * 1_000) {
          wrong.push(`${scene}: free after ${after.toFixed(0)} ms`)
        }
        if (when === 'running') await expectActive(alice, scene, wrong)
      }
      none(wrong, 'of a clock that was set')
      return `${services.length} processes; ${rounds} leases of ${LEASE} s; past their end: ${spread(overrun)}`
    } finally {
      for (const service of services) await service[Symbol.asyncDispose]()
    }
  },
})

interface DatabaseClock {
  env: Record<string, string>
  /** Sets it ahead, or back, of what it is. */
  step(by: number): Promise<void>
}

/** On a server the clock is a function of its own; of the embedded database it is the machine's, like the service's. */
async function openClock(folder: string): Promise<DatabaseClock> {
  let off = 0
  if (process.env['LOAM_TEST_DATABASE_URL']) {
    return {
      env: {},
      async step(by) {
        off += by
        await using database = await openTestDatabase({ onDisk: join(folder, 'loam-data') })
        const text = `select clock_timestamp() + ${off} * interval '1 millisecond'`
        await sql`
          create or replace function wall_clock() returns timestamptz language sql volatile
          parallel safe as ${sql.lit(text)}`.execute(database.db)
        // Between the step and the next look at it nobody can know.
        await sleep(1_500)
      },
    }
  }
  const file = join(folder, 'clock')
  await writeFile(file, '0')
  return {
    env: {
      NODE_OPTIONS: `--import ${PRELOAD.href}`,
      TEST_CLOCK_FILE: file,
      TEST_DATABASE_CLOCK_FILE: file,
    },
    async step(by) {
      off += by
      await writeFile(file, String(off))
      await sleep(100)
    },
  }
}

async function startAll(folder: string, env: Record<string, string>): Promise<Service[]> {
  const services: Service[] = []
  for (let n = 0; n < Math.min(PROCESSES, 2); n++) {
    services.push(await startService({ folder, env: { LOAM_MCP_API_KEY: KEY, ...env } }))
  }
  return services
}

async function claimed(alice: Hand): Promise<string> {
  const added = await alice.call('tasks_add', { title: 'timed' })
  if (added === undefined || added instanceof Error) throw added ?? new Error('no answer')
  const held = await alice.call('tasks_claim', { id: added['id'], lease_seconds: LEASE })
  if (held === undefined || held instanceof Error) throw held ?? new Error('no answer')
  return added['id']
}

/** In milliseconds since it was claimed. */
async function takenAfter(bob: Hand, id: string, began: number): Promise<number> {
  for (;;) {
    const taken = await bob.call('tasks_claim', { id })
    const after = performance.now() - began
    if (taken !== undefined && !(taken instanceof Error)) return after
    if (after > 2 * MINUTE) return after
    await sleep(20)
  }
}

/** Her session was heard a moment ago by elapsed time, so it has not expired. */
async function expectActive(alice: Hand, scene: string, wrong: string[]): Promise<void> {
  const said = await alice.call('session_update', { findings: 'still here' })
  if (said === undefined || said instanceof Error) wrong.push(`${scene}: ${said?.message}`)
  else if (said['status'] !== 'active') wrong.push(`${scene}: the session is ${said['status']}`)
}
