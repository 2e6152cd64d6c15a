import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none, type Random } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { startService, type Service } from '../helpers/service.ts'
import { openStream } from '../helpers/sse.ts'
import { defineFault } from './fault.ts'
import { KEY } from './store-process.ts'
import { openHand, PROCESSES, type Hand } from './task-hands.ts'

const PRELOAD = new URL('./clock-preload.ts', import.meta.url)
const HOUR = 3_600_000
/** Of the first process; the second one, where there is one, is five seconds ahead all the time. */
const STEPS = [0, -HOUR, HOUR, -24 * HOUR, 24 * HOUR, 5_000, -5_000]
const AHEAD = 5_000
const LEASE = 2
const PING_EVERY = 25_000

export const clockSteps = defineFault({
  id: 'R14',
  title: 'whichever way the clocks of machines step, leases, sessions and order are the database’s',
  rounds: 30,

  async run({ rounds, random, full }) {
    await using folder = await openFolder()
    const clocks: string[] = []
    const services: Service[] = []
    for (let n = 0; n < Math.min(PROCESSES, 2); n++) {
      clocks.push(join(folder.path, `clock-${n}`))
      await writeFile(clocks[n]!, String(n * AHEAD))
      const env = {
        LOAM_MCP_API_KEY: KEY,
        NODE_OPTIONS: `--import ${PRELOAD.href}`,
        TEST_CLOCK_FILE: clocks[n]!,
      }
      services.push(await startService({ folder: folder.path, env }))
    }
    const fleet = { services }
    try {
      const wrong: string[] = []
      const [alice, bob] = [
        await openHand(fleet, 'atlas', () => 0),
        await openHand(fleet, 'atlas', () => services.length - 1),
      ]
      const steady = await begin(alice)
      await using stream = full ? await openStream({ url: services[0]!.url, key: KEY }) : null
      const listened = performance.now()
      const ids: string[] = []
      const updated: string[] = []
      let taken = 0
      for (let round = 0; round < rounds; round++) {
        await lease({ alice, bob, random, clock: clocks[0]!, ids, wrong })
        taken++
        await order(alice, steady, join(folder.path, 'loam-data'), updated, wrong)
        await told(services[0]!, wrong)
      }
      for (const [n, id] of ids.entries())
        if (n > 0 && id <= ids[n - 1]!) wrong.push(`${id} goes back`)
      for (const [n, at] of updated.entries())
        if (n > 0 && at <= updated[n - 1]!) wrong.push(`updated goes back to ${at}`)
      const pings = stream?.comments.filter((line) => line.includes('ping')).length ?? 0
      const due = Math.floor((performance.now() - listened) / PING_EVERY)
      if (stream && Math.abs(pings - due) > 1) wrong.push(`${pings} pings where ${due} were due`)
      for (const service of services) await service.stop()
      wrong.push(...(await expired(services[0]!.dataDir)))
      none(wrong, 'of a step of the clock')
      return `${services.length} processes; ${taken} leases held and passed on in time; ${ids.length} ids and ${updated.length} updates in order; ${pings} pings`
    } finally {
      for (const service of services) await service[Symbol.asyncDispose]()
    }
  },
})

async function begin(alice: Hand): Promise<string> {
  await answered(
    alice.call('memory_write', {
      name: 'tides',
      kind: 'constraint',
      description: 'High water at noon',
      body: 'b',
    }),
  )
  const note = await answered(alice.call('notes_create', { title: 'Log', body: 'begun' }))
  return note['id']
}

async function answered(asked: ReturnType<Hand['call']>): Promise<Record<string, any>> {
  const said = await asked
  if (said === undefined || said instanceof Error) throw new Error(said?.message ?? 'no answer')
  return said
}

interface Scene {
  alice: Hand
  bob: Hand
  random: Random
  clock: string
  ids: string[]
  wrong: string[]
}

/** Alice's lease runs as long as it runs, whatever her process believes that the time is. */
async function lease({ alice, bob, random, clock, ids, wrong }: Scene): Promise<void> {
  const step = random.pick(STEPS)
  const { id } = await answered(alice.call('tasks_add', { title: 'timed' }))
  ids.push(id)
  const began = performance.now()
  const held = await answered(alice.call('tasks_claim', { id, lease_seconds: LEASE }))
  await writeFile(clock, String(step))
  await sleep(50)
  const early = await bob.call('tasks_claim', { id })
  if (performance.now() - began < LEASE * 1_000 && !(early instanceof Error)) {
    wrong.push(`taken early after a step of ${step} ms`)
  }
  const again = await alice.call('tasks_claim', {
    id,
    lease_seconds: LEASE,
    claim_token: held['claim_token'],
  })
  const renewed = performance.now()
  if (performance.now() - began < LEASE * 1_000 && again instanceof Error) {
    wrong.push(`not renewed after a step of ${step} ms: ${again.message}`)
  }
  await sleep(LEASE * 1_000)
  for (;;) {
    const asked = performance.now()
    const late = await bob.call('tasks_claim', { id })
    if (late !== undefined && !(late instanceof Error)) {
      if (!late['reclaimed']) wrong.push('not told as taken over')
      break
    }
    if (asked - renewed > (LEASE + 1) * 1_000) {
      wrong.push(`not free a second after its lease, after a step of ${step} ms: ${late?.message}`)
      break
    }
    await sleep(20)
  }
  const stale = await alice.call('tasks_update', {
    id,
    status: 'done',
    claim_token: held['claim_token'],
  })
  if (!(stale instanceof Error)) wrong.push(`a late write landed after a step of ${step} ms`)
}

/** Each edit is later than the one before, in the file as well. */
async function order(
  alice: Hand,
  id: string,
  dataDir: string,
  updated: string[],
  wrong: string[],
): Promise<void> {
  const { body } = await answered(alice.call('notes_read', { id }))
  await answered(alice.call('notes_update', { id, body: `${body}.` }))
  const text = await readFile(join(dataDir, 'notes/atlas/log.md'), 'utf8')
  const [, at] = /^updated: ["']?([^"'\n]+)/m.exec(text) ?? []
  if (at === undefined) wrong.push('no time in the file')
  else updated.push(at)
}

/** Who starts now is told what holds, whatever day this machine believes it is. */
async function told({ url }: Service, wrong: string[]): Promise<void> {
  const hand = await openHand({ services: [{ url }] as Service[] }, 'atlas', () => 0)
  const begun = await answered(hand.call('session_start', { project: 'atlas' }))
  if (!String(begun['briefing']).includes('High water at noon')) wrong.push('a briefing is empty')
  const found = await answered(hand.call('recall', { query: 'high water' }))
  const [hit] = found['hits']
  if (hit === undefined) wrong.push('recall found nothing')
  else if (/-\d|NaN/.test(hit.age)) wrong.push(`an age of ${hit.age}`)
}

/** Sessions that were heard all the time, and expired nevertheless. */
async function expired(dataDir: string): Promise<string[]> {
  await using database = await openTestDatabase({ onDisk: dataDir })
  const rows = await database.db
    .selectFrom('sessions')
    .select('name')
    .where('status', '=', 'expired')
    .execute()
  return rows.map(({ name }) => `${name} has expired`)
}
