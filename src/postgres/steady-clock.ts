/**
 * Elapsed time for `loam_now()`. A clock that is set back freezes every lease for as long, and one
 * that is set ahead ends them at once. So the database's clock is held against the time since this machine
 * started: when they part by more than a little, the difference goes into `clock.correction`, and
 * `loam_now()` goes on as if nothing had happened.
 *
 * Every process looks each second, and the one that holds the lease `clock` puts right. The last pair of
 * the two times is kept with the id of the machine's start, so a process that begins later during the
 * same start knows of a step that nobody saw. After a new start of the machine the clock counts as it is set.
 */
import { newId } from '../kernel/id.ts'
import { record } from '../kernel/events.ts'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { sqlState } from '../kernel/sql-state.ts'
import {
  dropLead,
  endOverlongLeases,
  isHeldByOther,
  lockClock,
  lookAt,
  moveClock,
  shiftLeases,
  storePair,
  takeLead,
  TOLERANCE_MS,
  type Anchor,
  type Look,
  type Pair,
} from './clock-rows.ts'
import { clockStepped } from './events.ts'
import { sinceBoot, type SinceBoot } from './since-boot.ts'
import { inTransaction } from './transaction.ts'

const LOOK_EVERY_MS = 1_000
/** How old the stored pair may grow, so that the two clocks' own drift stays small against the tolerance. */
const ANCHOR_MS = 600_000
/** Somebody is at work on the table. */
const LOCK_NOT_AVAILABLE = '55P03'

export interface SteadyClock {
  /**
   * Resolves at once, unless this machine's own clock was stepped since the last look: then when that
   * has been looked at. Never throws.
   */
  settled(): Promise<void>
  stop(): Promise<void>
}

export interface SteadyOptions {
  /** The only process on this database: it needs no lease. */
  alone: boolean
  machine?: SinceBoot
  /**
   * Whether nothing runs that ends by the clock, which stays so until the transaction ends. May throw
   * when others are at work.
   */
  isQuiet(db: Db): Promise<boolean>
  /** How often that is asked while there is a correction; default a minute. */
  settleEveryMs?: number
}

/** Looks for the first time, puts right what has happened while nobody looked, and keeps looking. */
export async function keepSteady(kernel: Kernel, options: SteadyOptions): Promise<SteadyClock> {
  const keeper = new Keeper(kernel, options)
  await keeper.begin()
  return keeper
}

class Keeper implements SteadyClock {
  readonly #kernel: Kernel
  readonly #alone: boolean
  readonly #machine: SinceBoot
  readonly #isQuiet: SteadyOptions['isQuiet']
  readonly #me: string
  /** What the next look is held against. */
  #last: (Pair & { moved: number }) | null = null
  #own = ownStep()
  #looking: Promise<void> | null = null
  #settling: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  readonly #settleEveryMs: number
  #settleAt: number
  #stopped = false

  constructor(kernel: Kernel, options: SteadyOptions) {
    const { alone, machine = sinceBoot(), isQuiet, settleEveryMs = 60_000 } = options
    this.#kernel = kernel
    this.#alone = alone
    this.#machine = machine
    this.#isQuiet = isQuiet
    this.#settleEveryMs = settleEveryMs
    this.#settleAt = performance.now() + settleEveryMs
    this.#me = newId(kernel.clock.now())
  }

  async begin(): Promise<void> {
    const look = await lookAt(this.#kernel.db, this.#machine)
    if (look) {
      const isKnown = look.stored?.boot === this.#machine.boot
      if (!isKnown && !this.#isLed(look, look.steadyMs)) await this.#countAnew()
      await this.#look()
    }
    this.#schedule()
  }

  settled(): Promise<void> {
    const own = ownStep()
    if (Math.abs(own - this.#own) >= TOLERANCE_MS / 2) {
      this.#own = own
      // A look that is under way may have asked before the step.
      this.#settling = Promise.resolve(this.#looking)
        .then(() => this.#lookSafely())
        .finally(() => (this.#settling = null))
    }
    return this.#settling ?? Promise.resolve()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#looking
    if (!this.#alone) await dropLead(this.#kernel.db, this.#me).catch(() => {})
  }

  #schedule(): void {
    if (this.#stopped) return
    const next = (): void => void this.#lookSafely().then(() => this.#schedule())
    this.#timer = setTimeout(next, LOOK_EVERY_MS).unref()
  }

  #lookSafely(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((err: unknown) => {
        this.#kernel.log.warn({ err }, 'the clock of the database could not be looked at')
      })
      .finally(() => (this.#looking = null))
    return this.#looking
  }

  async #look(): Promise<void> {
    const look = await lookAt(this.#kernel.db, this.#machine)
    if (!look) return
    const ought = this.#oughtTo(look)
    const isLed = this.#isLed(look, ought)
    const isSteady = Math.abs(look.steadyMs - ought) <= TOLERANCE_MS
    if (isSteady) this.#last = look
    if (isLed) return
    if (isSteady) await this.#lead(look)
    else await this.#putRight(look, ought)
  }

  /**
   * The time by what has elapsed since the last look; since the pair that is kept, when the clock was moved
   * meanwhile. As it is, when another machine moved it.
   */
  #oughtTo({ moved, stored, steadyMs, upMs }: Look): number {
    const own = stored?.boot === this.#machine.boot ? stored : null
    const since = this.#last?.moved === moved ? this.#last : own
    return since ? since.steadyMs + (upMs - since.upMs) : steadyMs
  }

  #isLed(look: Look, nowMs: number): boolean {
    return !this.#alone && isHeldByOther(look, this.#me, nowMs)
  }

  /** Holds the lease until after the next look, and keeps the pair when the stored one is of no use. */
  async #lead(look: Look): Promise<void> {
    const { db } = this.#kernel
    if (!this.#alone && !(await takeLead(db, this.#me, look.steadyMs))) return
    if (!this.#isStored(look)) await storePair(db, this.#anchor(look))
    if (look.correctionMs === 0 || performance.now() < this.#settleAt) return
    this.#settleAt = performance.now() + this.#settleEveryMs
    await this.#followWall(look)
  }

  #isStored({ stored, steadyMs, upMs }: Look): boolean {
    if (this.#machine.boot === null) return true
    if (stored?.boot !== this.#machine.boot) return false
    const elapsed = upMs - stored.upMs
    const drift = Math.abs(steadyMs - stored.steadyMs - elapsed)
    return elapsed < ANCHOR_MS && drift < TOLERANCE_MS / 4
  }

  async #putRight(look: Look, oughtMs: number): Promise<void> {
    const stepMs = Math.round(look.steadyMs - oughtMs)
    const correctionMs = look.correctionMs - stepMs
    const done = await inTransaction(this.#kernel, async (kernel) => {
      const { db } = kernel
      if ((await lockClock(db)) !== look.moved) return false
      if (!this.#alone && !(await takeLead(db, this.#me, oughtMs))) return false
      await moveClock(db, correctionMs, this.#anchor({ steadyMs: oughtMs, upMs: look.upMs }))
      const payload = { step_ms: stepMs, correction_ms: correctionMs }
      await record(kernel, clockStepped, { by: NOBODY, project: null, item: null, payload })
      return true
    })
    if (!done) return
    this.#last = { steadyMs: oughtMs, upMs: look.upMs, moved: look.moved + 1 }
    this.#kernel.log.warn(
      { stepMs },
      'the clock of the database was set; what ends by it goes on by elapsed time',
    )
  }

  /** What has elapsed is not known: the clock counts as it is set, and no job waits for a lease of before. */
  async #countAnew(): Promise<void> {
    await inTransaction(this.#kernel, async ({ db }) => {
      await lockClock(db)
      await moveClock(db, 0, null)
      await endOverlongLeases(db)
    })
  }

  /**
   * Back to the clock as it is set, when nothing that ends by it is under way. A machine that is put to
   * sleep every night would otherwise fall behind by all of its nights.
   */
  async #followWall({ steadyMs, correctionMs, upMs, moved }: Look): Promise<void> {
    const followed = await inTransaction(this.#kernel, async (kernel) => {
      const { db } = kernel
      if (!(await this.#isQuiet(db)) || (await lockClock(db)) !== moved) return false
      await shiftLeases(db, -correctionMs)
      await moveClock(db, 0, this.#anchor({ steadyMs: steadyMs - correctionMs, upMs }))
      return true
    }).catch((error: unknown) => {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return false
      throw error
    })
    if (followed) this.#kernel.log.info('nothing is held: the clock counts as it is set again')
  }

  #anchor({ steadyMs, upMs }: Pair): Anchor {
    return { boot: this.#machine.boot, steadyMs, upMs }
  }
}

/** How far this machine's clock is from its monotonic time: another when the clock was set, or after a sleep. */
const ownStep = (): number => Date.now() - performance.now()
