const MINUTE = 60_000
const PER_ADDRESS = 10
const OVERALL = 60

/**
 * How many wrong keys were tried in the last minute. Holds no more than the limits allow: what is
 * beyond them is refused without being remembered.
 */
export class WrongKeys {
  readonly #now: () => number
  #tries: { address: string; at: number }[] = []

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts one wrong key. Returns 0, or the whole seconds after which another may be tried. */
  count(address: string): number {
    const now = this.#now()
    this.#tries = this.#tries.filter(({ at }) => now - at < MINUTE)
    const own = this.#tries.filter((each) => each.address === address)
    const full =
      own.length >= PER_ADDRESS ? own : this.#tries.length >= OVERALL ? this.#tries : undefined
    if (full) return Math.ceil((full[0]!.at + MINUTE - now) / 1000)
    this.#tries.push({ address, at: now })
    return 0
  }
}
