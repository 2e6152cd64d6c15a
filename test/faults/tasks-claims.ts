import { setTimeout as sleep } from 'node:timers/promises'
import { none, type Random } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { defineFault } from './fault.ts'
import { openFleet, openHand, type Fleet, type Hand } from './task-hands.ts'

const AGENTS = 16
/** Races that run side by side, each over a task of its own. */
const RACES = 4
const SHORT = 1

export const tasksClaims = defineFault({
  id: 'R13',
  title:
    'of many who claim a task at once one has it, and who slept past its lease changes nothing',
  rounds: 100_000,

  async run({ rounds, random, full, log }) {
    await using folder = await openFolder()
    const fleet = await openFleet(folder.path)
    try {
      const pick = (): number => random.int(fleet.services.length)
      const running = { yet: true }
      const pauses = pauseSome(fleet, random, running)
      const wrong: string[] = []
      const counts = { claims: 0, races: 0, lapsed: 0, forced: 0, away: 0 }
      const racing = async (): Promise<void> => {
        const hands = await Promise.all(
          Array.from({ length: AGENTS }, () => openHand(fleet, 'race', pick)),
        )
        let id = await newTask(hands[0]!)
        while (counts.claims < rounds && wrong.length < 20) {
          counts.races++
          if (counts.races % 1_000 === 0) log(`${counts.claims} claims`)
          const lapses = random.int(full ? 100 : 10) === 0
          const winner = await raceFor(hands, id, lapses ? SHORT : 60, wrong, counts)
          if (winner === undefined) {
            id = await newTask(hands[0]!)
          } else if (lapses) {
            counts.lapsed++
            await wakeLate(hands, id, winner, random, wrong, counts)
            id = await newTask(hands[0]!)
          } else if (random.int(20) === 0) {
            counts.forced++
            if (!(await takeAway(fleet, id))) wrong.push('the owner could not take a claim away')
          } else {
            await settle(() => winner.hand.call('tasks_release', { id, claim_token: winner.token }))
          }
        }
      }
      await Promise.all(Array.from({ length: full ? RACES : 1 }, racing))
      running.yet = false
      const paused = await pauses
      none(wrong, 'of a claim')
      const { claims, races, lapsed, forced, away } = counts
      return (
        `${fleet.services.length} processes, paused ${paused} times; ${claims} claims in ${races} ` +
        `races, 0 double; ${lapsed} left to lapse, ${forced} taken away by the owner, ${away} unanswered`
      )
    } finally {
      await fleet[Symbol.asyncDispose]()
    }
  },
})

interface Winner {
  hand: Hand
  token: string
}
type Counts = Record<'claims' | 'races' | 'lapsed' | 'forced' | 'away', number>

async function newTask(hand: Hand): Promise<string> {
  const task = await settle(() => hand.call('tasks_add', { title: 'raced for' }))
  if (task instanceof Error) throw task
  return task!['id']
}

/** Asked again until it is answered: a paused process answers late, or its database refuses to wait. */
async function settle(ask: () => ReturnType<Hand['call']>): ReturnType<Hand['call']> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const said = await ask()
    const waits =
      said instanceof Error && /too long|not available|unavailable|busy/.test(said.message)
    if (said !== undefined && !waits) return said
    await sleep(100)
  }
  throw new Error('no answer came')
}

/** Everybody at once. Undefined when nobody can be sure: an answer did not come. */
async function raceFor(
  hands: readonly Hand[],
  id: string,
  lease_seconds: number,
  wrong: string[],
  counts: Counts,
): Promise<Winner | undefined> {
  const answers = await Promise.all(
    hands.map((hand) => hand.call('tasks_claim', { id, lease_seconds })),
  )
  counts.claims += answers.length
  const won = answers
    .flatMap((said, n): (Winner & { until: number })[] =>
      said === undefined || said instanceof Error
        ? []
        : [
            {
              hand: hands[n]!,
              token: said['claim_token'],
              until: Date.parse(said['lease_expires_at']),
            },
          ],
    )
    .toSorted((one, other) => one.until - other.until)
  const unsure = answers.filter((said) => said === undefined).length
  counts.away += unsure
  for (const [n, { until }] of won.entries()) {
    // While a process stood still, a short lease may have run out and passed on.
    const before = won[n - 1]
    if (before && until - lease_seconds * 1_000 < before.until) wrong.push(`two hold ${id}`)
  }
  for (const said of answers) {
    const known =
      !(said instanceof Error) || /already claimed|takes too long|busy/.test(said.message)
    if (!known) wrong.push((said as Error).message)
  }
  if (won.length === 0) {
    if (unsure === 0 && answers.every((said) => /already claimed/.test(String(said)))) {
      wrong.push(`nobody holds ${id}`)
    }
    return undefined
  }
  return won.at(-1)
}

/** The lease runs out; its holder wakes up just when everybody else claims. */
async function wakeLate(
  hands: readonly Hand[],
  id: string,
  late: Winner,
  random: Random,
  wrong: string[],
  counts: Counts,
): Promise<void> {
  await sleep(SHORT * 1_000 + 20)
  const others = hands.filter((hand) => hand !== late.hand)
  const act = random.pick(['update', 'renew', 'release'] as const)
  const claim_token = late.token
  const wakes = async () => {
    await sleep(random.int(30))
    if (act === 'renew') return late.hand.call('tasks_claim', { id, claim_token })
    if (act === 'release') return late.hand.call('tasks_release', { id, claim_token })
    return late.hand.call('tasks_update', { id, status: 'done', body: 'late', claim_token })
  }
  const [woke, ...answers] = await Promise.all([
    wakes(),
    ...others.map((hand) => hand.call('tasks_claim', { id, lease_seconds: 60 })),
  ])
  counts.claims += answers.length
  const won = answers.filter((said) => said !== undefined && !(said instanceof Error))
  const landed = woke !== undefined && !(woke instanceof Error)
  if (won.length > 1) wrong.push(`${won.length} hold ${id} after it lapsed`)
  if (landed && won.length === 1) {
    // Only who gave it back in time may be followed; then nothing was taken over.
    const [next] = won as Record<string, any>[]
    if (act !== 'release' || next!['reclaimed']) wrong.push(`${act} landed beside a claim of ${id}`)
  }
  const task = await settle(() => late.hand.call('tasks_list', { id }))
  const body = task instanceof Error ? '' : task!['tasks'][0].body
  if (body === 'late' && !landed && woke !== undefined)
    wrong.push(`a refused write landed in ${id}`)
}

async function takeAway(fleet: Fleet, id: string): Promise<boolean> {
  const { url, key } = fleet.services[0]!
  for (let attempt = 0; attempt < 20; attempt++) {
    const reply = await fetch(`${url}/console/tasks/${id}/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
    }).catch(() => undefined)
    if (reply?.ok) return true
    // An answer that was lost had its effect.
    if (attempt > 0 && reply?.status === 409) return true
    await sleep(100)
  }
  return false
}

/** Now and then a process stands still for longer than a short lease, with whatever it was about to do. */
async function pauseSome(fleet: Fleet, random: Random, running: { yet: boolean }): Promise<number> {
  let paused = 0
  for (;;) {
    await sleep(2_000 + random.int(8_000))
    if (!running.yet) return paused
    const { process } = random.pick(fleet.services)
    process.kill('SIGSTOP')
    await sleep(1_200 + random.int(600))
    process.kill('SIGCONT')
    paused++
  }
}
