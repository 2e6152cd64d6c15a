/** Who is at work, and how work that nobody waits for gives way to them. */
import { setTimeout as sleep } from 'node:timers/promises'

/** For so long after a request somebody is taken to be at work. */
const AT_WORK_MS = 2_000
/** How many times as long as a step took there is rest after it: a tenth of the time is left to such work. */
const REST = 9
/** A step that took very long was held up itself. */
const LONGEST_MS = 1_000

type Sleep = (ms: number) => Promise<unknown>

/** It keeps no process alive. */
const asleep: Sleep = (ms) => sleep(ms, undefined, { ref: false })

export class Pace {
  readonly #sleep: Sleep
  #asked = -Infinity
  #answering = 0

  constructor(sleep: Sleep = asleep) {
    this.#sleep = sleep
  }

  /** Somebody has asked for something: an agent, a hook, the owner. */
  asked(): void {
    this.#asked = performance.now()
  }

  /** Whether somebody has asked for something just now. */
  get isAsked(): boolean {
    return performance.now() - this.#asked < AT_WORK_MS
  }

  /** Answers what somebody waits for. */
  async answer<T>(work: () => Promise<T>): Promise<T> {
    this.#answering++
    try {
      return await work()
    } finally {
      this.#answering--
    }
  }

  /** Whether somebody waits for an answer at this moment. */
  get isAnswering(): boolean {
    return this.#answering > 0
  }

  /**
   * After a step of work that nobody waits for, which took so many milliseconds. Not for transactions: what they lock,
   * they would keep meanwhile.
   */
  async rest(took: number): Promise<void> {
    if (this.isAsked) await this.#sleep(Math.min(REST * took, LONGEST_MS))
  }
}
