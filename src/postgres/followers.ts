/**
 * The followers of the log on this process. Each follows while it is switched on, and then hears of events by the
 * feed. One that is off asks for nothing: a switch is told by a NOTIFY, on every process.
 */
import pLimit from 'p-limit'
import type { Database } from './database.ts'
import type { Batch, Subscriber } from '../kernel/feed.ts'
import type { Followers } from '../kernel/followers.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { advance, follow, forgetOthers, type Follower } from './follow.ts'

export { follow, unfollow, type FollowedPage, type Follower } from './follow.ts'

/** Between two hand-overs, however many events there are. */
const GAP_MS = 250
/** Where no NOTIFY arrives the switches are looked at so often. */
const POLL_MS = 2_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export interface FollowersOptions {
  database: Database
  followers: readonly Follower[]
  /** The names of those that are switched on. */
  switchedOn(kernel: Kernel): Promise<ReadonlySet<string>>
  /** The channel on which a switch is told. */
  channel: string
}

export class LogFollowers implements Followers {
  readonly #options: FollowersOptions
  /** Undefined until it was started. */
  #kernel: Kernel | undefined
  /** Hand-overs of this process take turns. */
  readonly #turn = pLimit(1)
  #on: readonly Follower[] = []
  #listening: Disposable | undefined
  /** Since when anybody is switched on; who has left the feed does not come back. */
  #subscriber: Subscriber | undefined
  #timer: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #ranMs = -Infinity
  #pauseMs = 0
  #closed = false

  constructor(options: FollowersOptions) {
    this.#options = options
  }

  /** To be called before anything is served: from then on nothing is missed. */
  async start(kernel: Kernel): Promise<void> {
    const { database, followers, channel, switchedOn } = this.#options
    const on = await switchedOn(kernel)
    // The configuration may have switched one off while no service ran.
    await forgetOthers(kernel, [...on])
    for (const follower of followers) if (on.has(follower.name)) await follow(kernel, follower)
    this.#kernel = kernel
    this.#listening = database.listen(channel, () => void this.#look())
  }

  async caughtUp(name: string): Promise<void> {
    const follower = this.#options.followers.find((one) => one.name === name)
    const kernel = this.#kernel
    if (!follower || !kernel || this.#closed) return
    if (!this.#on.includes(follower)) void this.#look()
    await this.#turn(async () => {
      try {
        await this.#advance(kernel, follower)
      } catch (error) {
        this.#failed(kernel, error)
      }
    })
  }

  close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#poll)
    this.#listening?.[Symbol.dispose]()
    this.#leave()
    return this.#turn(() => {})
  }

  /** Who is switched on, at this moment. */
  async #look(): Promise<void> {
    const { database, followers, switchedOn } = this.#options
    const kernel = this.#kernel
    clearTimeout(this.#poll)
    if (!kernel || this.#closed) return
    try {
      const on = await switchedOn(kernel)
      this.#on = followers.filter(({ name }) => on.has(name))
      if (this.#on.length === 0) this.#leave()
      else await this.#join(kernel)
    } catch (error) {
      kernel.log.warn({ err: error }, 'the switches of features could not be read')
      this.#poll = setTimeout(() => void this.#look(), POLL_MS).unref()
      return
    }
    if (database.listening() || this.#closed) return
    this.#poll = setTimeout(() => void this.#look(), POLL_MS).unref()
  }

  async #join({ feed }: Kernel): Promise<void> {
    if (this.#subscriber) return this.#schedule(0)
    const subscriber: Subscriber = {
      take: async (batch) => this.#hear(batch),
      begin: () => this.#schedule(0),
    }
    this.#subscriber = subscriber
    try {
      await feed.follow(subscriber)
    } catch (error) {
      if (this.#subscriber === subscriber) this.#subscriber = undefined
      throw error
    }
  }

  #leave(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#subscriber) this.#kernel?.feed.leave(this.#subscriber)
    this.#subscriber = undefined
  }

  #hear({ events }: Batch): void {
    if (events.some(({ kind }) => this.#on.some(({ kinds }) => kinds.includes(kind)))) {
      this.#schedule(0)
    }
  }

  #schedule(afterMs: number): void {
    if (this.#closed || this.#timer) return
    const dueMs = Math.max(performance.now() + afterMs, this.#ranMs + GAP_MS)
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        void this.#turn(() => this.#run())
      },
      Math.max(0, dueMs - performance.now()),
    ).unref()
  }

  async #run(): Promise<void> {
    const kernel = this.#kernel
    if (!kernel || this.#closed) return
    this.#ranMs = performance.now()
    try {
      for (const follower of this.#on) await this.#advance(kernel, follower)
      this.#pauseMs = 0
    } catch (error) {
      this.#failed(kernel, error)
      this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs), LONGEST_PAUSE_MS)
      this.#schedule(this.#pauseMs)
    }
  }

  /** Until nothing is left: what it records may be for itself again. */
  async #advance(kernel: Kernel, follower: Follower): Promise<void> {
    const { switchedOn } = this.#options
    while (!this.#closed) {
      const state = await advance(kernel, follower)
      if (state === 'done') return
      if (state === 'more') continue
      // Its row is gone with the rest of a store that was emptied, or a switch was not told.
      if (!(await switchedOn(kernel)).has(follower.name)) return void this.#look()
      await follow(kernel, follower)
    }
  }

  #failed({ log }: Kernel, error: unknown): void {
    if (!this.#closed) log.error({ err: error }, 'a follower of the log could not go on')
  }
}
