/** Counting that costs something in a large store: it is kept for a while, and done again behind the page. */

/** Passages, or times that something was asked for, from which counting them is not done for every page. */
export const LARGE = 2_000

/** The shortest time for which a count is kept, and how many times as long as it took. */
const SHORTEST_MS = 15_000
const TIMES_ITS_COST = 100

export interface Kept<Value> {
  value: Value
  /** When it was counted, in milliseconds since 1970. */
  at: number
  /** Counted for who asks. */
  fresh: boolean
}

/**
 * Returns what counts. In a small store it counts each time. In a large one only who comes first waits: whoever comes
 * later reads the last count, and one that is too old is replaced meanwhile. So a page that stays open takes a
 * hundredth of the time at most.
 */
export function kept<Value>(
  count: () => Promise<Value>,
  now: () => number = Date.now,
): (isLarge: boolean) => Promise<Kept<Value>> {
  let last: (Kept<Value> & { tookMs: number }) | undefined
  let counting: Promise<Kept<Value>> | undefined

  async function again(): Promise<Kept<Value>> {
    const began = now()
    const value = await count()
    last = { value, at: now(), fresh: true, tookMs: now() - began }
    return last
  }
  const once = (): Promise<Kept<Value>> =>
    (counting ??= again().finally(() => (counting = undefined)))

  return async (isLarge) => {
    if (!isLarge) return again()
    if (!last) return once()
    const isOld = now() - last.at > Math.max(SHORTEST_MS, TIMES_ITS_COST * last.tookMs)
    // Who reads the last count does not hear that the next one failed; who waits for the first one does.
    if (isOld) once().catch(() => {})
    return { ...last, fresh: false }
  }
}
