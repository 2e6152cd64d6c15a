const WINDOW_MS = 60_000
/** Wrong keys that one address, and all addresses together, may try in that time. */
const PER_ADDRESS = 10
const OVERALL = 60

/**
 * The wrong keys of the last minute. It holds no more of them than the limits allow: a key beyond them is
 * refused and not counted.
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
    this.#tries = this.#tries.filter(({ at }) => now - at < WINDOW_MS)
    const own = this.#tries.filter((each) => each.address === address)
    const full =
      own.length >= PER_ADDRESS ? own : this.#tries.length >= OVERALL ? this.#tries : undefined
    if (full) return Math.ceil((full[0]!.at + WINDOW_MS - now) / 1000)
    this.#tries.push({ address, at: now })
    return 0
  }
}
