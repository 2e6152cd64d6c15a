/** One at a time per key, in the order of arrival, within this process. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Takes the keys in sorted order, so that two callers with several keys never wait for each other. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const [key, ...rest] = [...new Set(keys)].sort()
    if (key === undefined) return work()
    const before = this.#last.get(key)
    const mine = (async () => {
      await before?.catch(() => {})
      return this.run(rest, work)
    })()
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
