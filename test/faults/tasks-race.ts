import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { none, quantile, type Random } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { defineFault } from './fault.ts'
import { openFleet, openHand, type Fleet, type Hand } from './task-hands.ts'

const AGENTS = 32
const LEASE = 2
/** From the end of a lease to its being taken over, while the service is there. */
const TAKEN_OVER_WITHIN = 1_000

export const tasksRace = defineFault({
  id: 'tasks-race',
  title: 'tasks that many agents race for are each finished by one, whoever dies meanwhile',
  rounds: 2_000,

  async run({ rounds, random, full, timed, log }) {
    await using folder = await openFolder()
    const fleet = await openFleet(folder.path)
    try {
      const race = await plan(fleet, random, rounds)
      log(`${race.ids.length} tasks, ${[...race.waits.values()].flat().length} edges`)
      const running = { yet: true }
      const away = deaths(fleet, random, running, full ? 10_000 : 3_000)
      const crew = full ? AGENTS : 8
      await Promise.all(Array.from({ length: crew }, () => life(fleet, random, race)))
      running.yet = false
      const outages = await away
      for (const service of fleet.services) await service.stop()
      const lags = await verify(fleet.dataDir, race, outages)
      none(race.trouble, 'not as it was answered')
      const worst = Math.max(0, ...lags)
      if (timed && worst > TAKEN_OVER_WITHIN) throw new Error(`taken over after ${worst} ms`)
      const { claimed, refused, unknown, died, slept, late } = race.counts
      return (
        `${fleet.services.length} processes, ${outages.length} killed; ${claimed} claims, 0 double; ` +
        `${refused} refused, ${unknown} without an answer; ${died} agents died, ${slept} slept past ` +
        `their lease, ${late} of them were kept out; ${lags.length} taken over after p50 ` +
        `${quantile(lags, 0.5)} ms, max ${worst} ms`
      )
    } finally {
      await fleet[Symbol.asyncDispose]()
    }
  },
})

interface Race {
  ids: string[]
  waits: Map<string, string[]>
  over: boolean
  counts: Record<'claimed' | 'refused' | 'unknown' | 'died' | 'slept' | 'late', number>
  /** Claims as they were answered. */
  answered: string[]
  /** Who was told that it finished a task. */
  finished: Map<string, string>
  trouble: string[]
}

/** Tasks of which most wait for some of those before them. */
async function plan(fleet: Fleet, random: Random, tasks: number): Promise<Race> {
  const hand = await openHand(fleet, 'race', () => 0)
  const ids: string[] = []
  const waits = new Map<string, string[]>()
  while (ids.length < tasks) {
    const before = ids.slice(-60)
    const depends_on = before.length === 0 ? [] : some(random, before)
    const task = await hand.call('tasks_add', { title: `task ${ids.length}`, depends_on })
    if (task === undefined || task instanceof Error) throw new Error(`not added: ${task?.message}`)
    ids.push(task['id'])
    waits.set(task['id'], depends_on)
  }
  const counts = { claimed: 0, refused: 0, unknown: 0, died: 0, slept: 0, late: 0 }
  return { ids, waits, over: false, counts, answered: [], finished: new Map(), trouble: [] }
}

function some(random: Random, from: readonly string[]): string[] {
  const many = random.pick([0, 0, 0, 1, 1, 2, 3])
  return [...new Set(Array.from({ length: many }, () => random.pick(from)))]
}

/** Processes die and come back until everything is done. */
async function deaths(fleet: Fleet, random: Random, running: { yet: boolean }, pause: number) {
  const outages: { from: number; to: number }[] = []
  await sleep(300 + random.int(300))
  for (;;) {
    if (!running.yet) return outages
    outages.push(await fleet.kill(random.int(fleet.services.length)))
    await sleep(pause / 2 + random.int(pause))
  }
}

/** One place in the crew: whoever dies is followed by another. */
async function life(fleet: Fleet, random: Random, race: Race): Promise<void> {
  const pick = (): number => random.int(fleet.services.length)
  while (!race.over) {
    await work(await openHand(fleet, 'race', pick), random, race)
  }
}

/** Works until there is nothing left, or until it dies. */
async function work(hand: Hand, random: Random, race: Race): Promise<void> {
  const { counts } = race
  while (!race.over) {
    const queue = await hand.call('tasks_ready', { limit: 20 })
    if (queue === undefined || queue instanceof Error) {
      await sleep(20)
      continue
    }
    const { ready, lapsed } = queue
    const choice = lapsed.length > 0 ? lapsed : ready
    if (choice.length === 0) {
      // One question: between two, a lease lapses.
      const done = await hand.call('tasks_list', { status: 'done', limit: 1 })
      race.over ||=
        done !== undefined && !(done instanceof Error) && done['total'] === race.ids.length
      await sleep(20 + random.int(50))
      continue
    }
    const { id } = random.pick(choice as { id: string }[])
    const began = performance.now()
    const claim = await hand.call('tasks_claim', { id, lease_seconds: LEASE })
    if (claim === undefined) counts.unknown++
    else if (claim instanceof Error) {
      counts.refused++
      if (!/already claimed|task blocked|task closed/.test(claim.message)) {
        race.trouble.push(claim.message)
      }
    } else {
      counts.claimed++
      race.answered.push(`${id} ${hand.session} ${claim['lease_expires_at']}`)
      const lives = await hold(hand, random, race, { id, token: claim['claim_token'], began })
      if (!lives) return
    }
  }
}

interface Held {
  id: string
  token: string
  /** Before which the lease did not begin. */
  began: number
}

/** What becomes of a claim. False: its holder is gone. */
async function hold(hand: Hand, random: Random, race: Race, held: Held): Promise<boolean> {
  const { counts } = race
  const { id, token: claim_token } = held
  switch (random.int(24)) {
    case 0:
      counts.died++
      return false
    case 1:
      counts.died++
      await hand.call('session_end', { findings: 'I go and give back what I hold.' })
      return false
    case 2:
      await hand.call('tasks_release', { id, claim_token })
      return true
    case 3:
    case 4: {
      counts.slept++
      await sleep(LEASE * 1_000 + random.int(1_500))
      const late = await finish(hand, race, held)
      if (late instanceof Error) counts.late++
      return true
    }
    case 5: {
      const again = await hand.call('tasks_claim', { id, lease_seconds: LEASE, claim_token })
      if (again instanceof Error && inTime(held)) race.trouble.push(`renewal: ${again.message}`)
      break
    }
    default:
      await sleep(random.int(30))
  }
  const done = await finish(hand, race, held)
  if (done instanceof Error && inTime(held)) race.trouble.push(`in time: ${done.message}`)
  return true
}

const inTime = ({ began }: Held): boolean => performance.now() - began < LEASE * 1_000

/** Tries again while no answer comes; what has happened unheard is refused then, which is no news. */
async function finish(hand: Hand, race: Race, { id, token }: Held): Promise<Error | undefined> {
  for (let attempt = 0; attempt < 40; attempt++) {
    const args = { id, status: 'done', body: `done by ${hand.session}`, claim_token: token }
    const done = await hand.call('tasks_update', args)
    if (done instanceof Error) return attempt === 0 ? done : undefined
    if (done !== undefined) {
      race.finished.set(id, hand.session)
      return undefined
    }
    race.counts.unknown++
    await sleep(50)
  }
  return undefined
}

interface Step {
  item_id: string
  session_id: string | null
  ts: Date
  payload: Record<string, any>
}

/**
 * Follows every task through the log, by the database's clock: whoever claims finds it free, given
 * back or lapsed, with nothing unfinished before it; whoever finishes it holds it. Answers how long
 * after the end of a lease each was taken over, while all of the service was there.
 */
async function verify(
  dataDir: string,
  race: Race,
  outages: readonly { from: number; to: number }[],
): Promise<number[]> {
  await using database = await openTestDatabase({ onDisk: dataDir })
  const { rows: steps } = await sql<Step>`
    select item_id, session_id, ts, payload from events where kind = 'task.transition'
    order by ts, id`.execute(database.db)
  const { trouble } = race
  const tasks = new Map(race.ids.map((id) => [id, { holder: '', until: 0, done: '' }]))
  const seen = new Set<string>()
  const lags: number[] = []
  for (const { item_id: id, session_id, ts, payload } of steps) {
    const task = tasks.get(id)!
    const wrong = (what: string): void => void trouble.push(`${id} ${what} ${ts.toISOString()}`)
    if (payload['created']) continue
    if (task.done) wrong('goes on after its end')
    if (payload['to'] === 'in_progress') {
      const { claimed_by, lease_expires_at: lease, prior_holder, renewed } = payload
      seen.add(`${id} ${claimed_by} ${lease}`)
      const until = Date.parse(lease)
      const start = until - LEASE * 1_000
      if (renewed && task.holder !== claimed_by) wrong('renewed by another')
      if (task.holder && task.holder !== claimed_by) {
        if (prior_holder !== task.holder) wrong('taken over from another than its holder')
        if (task.until > start) wrong(`held twice for ${task.until - start} ms`)
        const between = outages.some(({ from, to }) => from < start && to > task.until)
        if (!between) lags.push(start - task.until)
      }
      if (!task.holder && race.waits.get(id)!.some((before) => !tasks.get(before)!.done)) {
        wrong('begun before what it waits for')
      }
      Object.assign(task, { holder: claimed_by, until })
    } else {
      if (session_id !== task.holder) wrong(`${payload['to']} by one who does not hold it`)
      task.holder = ''
      if (payload['to'] === 'done') task.done = session_id!
    }
  }
  const rows = await database.db
    .selectFrom('tasks')
    .select(['id', 'status', 'body', 'claimed_by', 'waits_for'])
    .execute()
  for (const { id, status, body, claimed_by, waits_for } of rows) {
    const { done } = tasks.get(id)!
    if (status !== 'done' || claimed_by !== '' || waits_for !== 0)
      trouble.push(`${id} is ${status}`)
    if (body !== `done by ${done}`) trouble.push(`${id}: ${body}, and by the log by ${done}`)
    const told = race.finished.get(id)
    if (told !== undefined && told !== done) trouble.push(`${id} was told to ${told} as finished`)
  }
  trouble.push(...race.answered.filter((claim) => !seen.has(claim)).map((each) => `lost: ${each}`))
  return lags
}
