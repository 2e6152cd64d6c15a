/**
 * Writes that wait while another is under way are carried out together: one transaction and one commit, their
 * files made durable side by side. Each is decided, renamed and answered by itself, as if they had
 * come at once to several processes. What cannot be done in company is done alone.
 */
import type { LimitFunction } from 'p-limit'
import { isAway } from '../kernel/trouble.ts'
import { told, wasOvertaken, writeAlone } from './alone.ts'
import { attempt, HELD, type Asked, type Outcome } from './attempt.ts'
import type { Tools } from './complete.ts'
import type { Written } from './shared.ts'

/** Writes of one group. Whoever reads the embedded database waits for all of it. */
const MOST = 32
/** A group that took longer is followed by smaller ones, though not smaller than this. */
const LONGEST_MS = 50
const FEWEST = 4
const STEP = 4
/** For so long after several writes came together, more of them are expected. */
const CROWD_MS = 1_000

/** How a write ended, in a group of that size. */
interface Ended {
  outcome: Outcome
  size: number
}

interface Waiting extends Asked {
  settle(ended: Ended): void
}

export class Groups {
  readonly #tools: Tools
  readonly #connections: LimitFunction
  readonly #atOnce: number
  readonly #waiting: Waiting[] = []
  #underWay = 0
  #most = 2 * FEWEST
  #crowdedMs = -Infinity

  /** @param atOnce groups that may be under way */
  constructor(tools: Tools, connections: LimitFunction, atOnce: number) {
    this.#tools = tools
    this.#connections = connections
    this.#atOnce = atOnce
  }

  /** Carries out a write whose decision only reads, together with those that wait with it. */
  async write(asked: Asked): Promise<Written<unknown>> {
    const { outcome, size } = await this.#join(asked)
    if (outcome !== HELD) {
      if ('written' in outcome) return outcome.written
      const error = 'error' in outcome ? outcome.error : outcome.undone
      // In company it may have been another's fault, unless the database is away for everybody.
      const isOthers = 'undone' in outcome && size > 1 && !isAway(error)
      if (!isOthers && !wasOvertaken(error)) throw told(this.#tools, error)
    }
    return this.#connections(() => writeAlone(this.#tools, asked))
  }

  #join(asked: Asked): Promise<Ended> {
    const { promise, resolve: settle } = Promise.withResolvers<Ended>()
    this.#waiting.push({ ...asked, settle })
    this.#begin()
    return promise
  }

  #begin(): void {
    if (this.#underWay === this.#atOnce || this.#waiting.length === 0) return
    this.#underWay++
    void this.#connections(() => this.#carryOut()).finally(() => {
      this.#underWay--
      this.#begin()
    })
  }

  async #carryOut(): Promise<void> {
    const [first, ...more] = this.#waiting.splice(0, this.#most)
    if (!first) return
    const group: [Waiting, ...Waiting[]] = [first, ...more]
    const crowded = performance.now() - this.#crowdedMs < CROWD_MS || more.length > 0
    // Whoever is about to write has time to join until the transaction's turn has come.
    const join = (): Waiting[] => {
      const joined = this.#waiting.splice(0, this.#most - group.length)
      group.push(...joined)
      return joined
    }
    const began = performance.now()
    const waits = crowded && this.#tools.inTurns
    const outcomes = await attempt(this.#tools, group, 'try', waits ? join : undefined)
    if (group.length > 1) this.#crowdedMs = began
    this.#learn(group.length, performance.now() - began)
    for (const [at, { settle }] of group.entries())
      settle({ outcome: outcomes[at]!, size: group.length })
  }

  /** How many writes fit into the time that others may have to wait. */
  #learn(size: number, tookMs: number): void {
    if (tookMs > LONGEST_MS) this.#most = Math.max(FEWEST, Math.min(size, this.#most) - STEP)
    else if (size === this.#most) this.#most = Math.min(MOST, this.#most + STEP)
  }
}
