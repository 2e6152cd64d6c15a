import assert from 'node:assert/strict'
import { defineAttack, inParallel, none, quantile, seeded, type Given } from '../attack.ts'
import { anyCall, type Call } from './calls.ts'
import { watchHealth } from './health.ts'
import { startMetered, type Metered } from './meter.ts'
import { Sender, type Sent } from './sender.ts'
import { smaller } from './sizes.ts'

/** In a few rounds on a busy machine only a missing bound is seen. */
const HELD_MS = { full: 200, few: 1_000 }
const FEW = 200
const GROWN_MIB = 64
const HEALTH_MS = 100
/** So many calls at once in the second half, and so many from one look at the memory to the next. */
const AT_ONCE = 8
const BETWEEN_LOOKS = 64
/** So many findings are tried in smaller sizes, and so often. */
const SHRUNK = 5
const SHRINKINGS = 60

interface Found {
  index: number
  what: string
  /** What went wrong. */
  wrong: string
  size: number
}

export const budgets = defineAttack({
  id: 'R31',
  title:
    'budgets: no call of any size and shape holds the event loop, keeps memory or ends the process',
  rounds: 20_000,

  async run(given) {
    const { rounds, only, log } = given
    await using metered = await startMetered()
    const run = await Run.open(metered, given)
    const health = watchHealth(metered.product.url)
    if (only === undefined) {
      await run.oneAtATime(rounds)
      run.tell('one at a time')
      await run.eightAtOnce(rounds)
      run.tell('eight at once')
    } else await run.one(only)
    const { times, wrong } = await health.stop()
    const p99 = quantile(times, 0.99)
    log(
      `/healthz p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${times.length}`,
    )
    await run.end()
    none(wrong, 'a look at the health that failed')
    if (given.timed) assert.ok(p99 <= HEALTH_MS, `p99 of /healthz was ${p99.toFixed(0)} ms`)
  },
})

function* smallerCalls(call: Call): Generator<Call> {
  for (const body of smaller(call.body)) yield { ...call, body }
  for (const query of smaller(call.query)) yield { ...call, query }
  for (const headers of smaller(call.headers)) yield { ...call, headers }
}

/** Calls by their number: each is the same again with the same seed. */
class Run {
  readonly #metered: Metered
  readonly #sender: Sender
  readonly #given: Given
  readonly #found: Found[] = []
  #holds: number[] = []
  #peak = 0
  #sizes = 0
  /** Memory after a collection, in MiB, when it was last judged. */
  #base: number

  private constructor(metered: Metered, sender: Sender, given: Given, base: number) {
    this.#metered = metered
    this.#sender = sender
    this.#given = given
    this.#base = base
  }

  static async open(metered: Metered, given: Given): Promise<Run> {
    const sender = await Sender.open(metered.product)
    await metered.read()
    const { memoryMib } = await metered.read({ collected: true })
    return new Run(metered, sender, given, memoryMib)
  }

  async oneAtATime(rounds: number): Promise<void> {
    for (let index = 0; index < rounds; index++) await this.one(index)
  }

  /** Makes one call and judges it. What is wrong with it is tried with less and less of it. */
  async one(index: number): Promise<void> {
    const call = this.#callOf(index)
    const { wrong, size } = await this.#tryOut(call)
    if (wrong === undefined) return
    this.#report(index, call, size, wrong)
    if (this.#found.length <= SHRUNK) await this.#shrink(call)
  }

  /** Several calls cannot be told apart while they are at work: when something is wrong each is made alone. */
  async eightAtOnce(rounds: number): Promise<void> {
    for (let from = rounds; from < 2 * rounds; from += BETWEEN_LOOKS) {
      const all: Call[] = []
      const wrongs: string[] = []
      let size = 0
      await inParallel(Math.min(BETWEEN_LOOKS, 2 * rounds - from), AT_ONCE, async (at) => {
        all[at] = this.#callOf(from + at)
        const sent = await this.#sender.send(all[at])
        size += sent.size
        if (sent.wrong !== undefined) wrongs.push(sent.wrong)
      })
      wrongs.push(...(await this.#look()))
      this.#sizes += size
      if (wrongs.length === 0) continue
      const before = this.#found.length
      for (let at = 0; at < all.length; at++) await this.one(from + at)
      if (this.#found.length > before) continue
      const words = all.map(({ what }) => what).join(', ')
      this.#report(from, { ...all[0]!, what: `together: ${words}` }, size, wrongs.join('; '))
    }
  }

  /** Makes a call. `wrong` says what it did to the process, or what is no answer. */
  async #tryOut(call: Call): Promise<Sent> {
    const sent = await this.#sender.send(call)
    const { process } = this.#metered.product.service
    if (process.exitCode !== null || process.signalCode !== null) {
      await this.#metered.product.killAndRestart()
      return { ...sent, wrong: 'the process ended' }
    }
    const wrongs = await this.#look()
    this.#sizes += sent.size
    const all = [...(sent.wrong === undefined ? [] : [sent.wrong]), ...wrongs]
    return { size: sent.size, ...(all.length > 0 && { wrong: all.join('; ') }) }
  }

  /** Reads the meter, and says what of it is past a budget. */
  async #look(): Promise<string[]> {
    const { heldMs, busyMs, peakMib, memoryMib } = await this.#metered.read()
    const { timed, rounds } = this.#given
    // Others use the machine as well: what they take of it is not held by us.
    const held = timed ? heldMs : Math.min(heldMs, busyMs)
    this.#holds.push(held)
    this.#peak = Math.max(this.#peak, peakMib - this.#base)
    const wrongs =
      held > (rounds <= FEW ? HELD_MS.few : HELD_MS.full)
        ? [`held ${heldMs.toFixed(0)} ms, busy ${busyMs.toFixed(0)} ms`]
        : []
    if (memoryMib - this.#base < GROWN_MIB / 2) return wrongs
    const { memoryMib: collected } = await this.#metered.read({ collected: true })
    const grown = collected - this.#base
    if (grown <= GROWN_MIB) return wrongs
    this.#base = collected
    return [...wrongs, `${grown.toFixed(0)} MiB more after a collection`]
  }

  #report(index: number, call: Call, size: number, wrong: string): void {
    this.#found.push({ index, what: call.what, wrong, size })
    const { seed } = this.#given.random
    const { log } = this.#given
    log(`--seed ${seed} --case ${index}: ${wrong}; ${size} B`)
    log(`    ${JSON.stringify(call)}`)
  }

  /** Tells the smallest call that is found to be wrong as well. */
  async #shrink(call: Call): Promise<void> {
    let [least, said, tries] = [call, '', 0]
    for (let variants = smallerCalls(least); tries < SHRINKINGS; tries++) {
      const { value } = variants.next()
      if (!value) break
      const { wrong } = await this.#tryOut(value)
      if (wrong === undefined) continue
      ;[least, said, variants] = [value, wrong, smallerCalls(value)]
    }
    if (said !== '') this.#given.log(`    as well: ${said}: ${JSON.stringify(least)}`)
  }

  #callOf(index: number): Call {
    const random = seeded(Math.imul(this.#given.random.seed + 1, 0x9e37_79b1) + index)
    return anyCall(random, this.#sender.stock)
  }

  tell(how: string): void {
    const longest = Math.max(...this.#holds)
    this.#given.log(
      `${how}: ${(this.#sizes / 1_048_576).toFixed(0)} MiB sent; held p50 ${quantile(this.#holds, 0.5).toFixed(0)}, ` +
        `p99 ${quantile(this.#holds, 0.99).toFixed(0)}, longest ${longest.toFixed(0)} ms; ` +
        `at most ${this.#peak.toFixed(0)} MiB more before a collection`,
    )
    this.#holds = []
    this.#peak = 0
  }

  async end(): Promise<void> {
    const { memoryMib } = await this.#metered.read({ collected: true })
    this.#given.log(`memory ${this.#base.toFixed(0)} → ${memoryMib.toFixed(0)} MiB`)
    none(
      this.#found.map(({ index, what, wrong, size }) => ({
        index,
        what: what.slice(0, 200),
        wrong,
        size,
      })),
      'a call past its budget',
    )
  }
}
