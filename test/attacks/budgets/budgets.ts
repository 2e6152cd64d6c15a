import assert from 'node:assert/strict'
import { defineAttack, inParallel, none, quantile, seeded, type Given } from '../attack.ts'
import { anyCall, type Call } from './calls.ts'
import { watchHealth } from './health.ts'
import { startMetered, type Metered } from './meter.ts'
import { Sender } from './sender.ts'

/** In a few rounds on a busy machine only a missing bound is seen. */
const HELD_MS = { full: 200, few: 1_000 }
const GROWN_MIB = 64
const HEALTH_MS = 100
/** So many calls at once in the second half, and so many from one look at the memory to the next. */
const AT_ONCE = 8
const BETWEEN_LOOKS = 64

interface Found {
  index: number
  what: string
  /** What went wrong. */
  wrong: string
  size: number
  call: Call
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

  async one(index: number): Promise<void> {
    const call = this.#callOf(index)
    const { wrong, size } = await this.#sender.send(call)
    if (wrong !== undefined) await this.#report(index, call, size, wrong)
    await this.#look(index, call, size)
  }

  /** What several calls held together cannot be told apart: all that were made since are named. */
  async eightAtOnce(rounds: number): Promise<void> {
    for (let from = rounds; from < 2 * rounds; from += BETWEEN_LOOKS) {
      const calls: { index: number; call: Call; size: number }[] = []
      await inParallel(Math.min(BETWEEN_LOOKS, 2 * rounds - from), AT_ONCE, async (at) => {
        const index = from + at
        const call = this.#callOf(index)
        const { wrong, size } = await this.#sender.send(call)
        calls.push({ index, call, size })
        if (wrong !== undefined) await this.#report(index, call, size, wrong)
      })
      const largest = calls.toSorted((a, b) => b.size - a.size)[0]!
      await this.#look(
        from,
        {
          ...largest.call,
          what: `${from} … ${from + calls.length}: ${calls.map(({ call }) => call.what).join(' ')}`,
        },
        largest.size,
      )
    }
  }

  /** Reads the meter, and judges what it says. */
  async #look(index: number, call: Call, size: number): Promise<void> {
    const { heldMs, busyMs, peakMib, memoryMib } = await this.#metered.read()
    // Others use the machine as well: what they take of it is not held by us.
    const held = this.#given.timed ? heldMs : Math.min(heldMs, busyMs)
    this.#holds.push(held)
    this.#sizes += size
    this.#peak = Math.max(this.#peak, peakMib - this.#base)
    if (held > (this.#given.full ? HELD_MS.full : HELD_MS.few)) {
      await this.#report(
        index,
        call,
        size,
        `held ${heldMs.toFixed(0)} ms, busy ${busyMs.toFixed(0)} ms`,
      )
    }
    if (memoryMib - this.#base < GROWN_MIB / 2) return
    const { memoryMib: collected } = await this.#metered.read({ collected: true })
    const grown = collected - this.#base
    if (grown <= GROWN_MIB) return
    await this.#report(index, call, size, `${grown.toFixed(0)} MiB more after a collection`)
    this.#base = collected
  }

  async #report(index: number, call: Call, size: number, wrong: string): Promise<void> {
    this.#found.push({ index, what: call.what, wrong, size, call })
    const { seed } = this.#given.random
    this.#given.log(
      `--seed ${seed} --case ${index} ${wrong}; ${size} B\n        ${JSON.stringify(call)}`,
    )
    const { process } = this.#metered.product.service
    if (process.exitCode !== null || process.signalCode !== null) {
      await this.#metered.product.killAndRestart()
    }
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
