/** Makes several agents take turns: each turn of a script waits until those before it have begun. */

export interface Order {
  /** Takes up turns in their order. A turn that was never taken up does not wait. */
  add(turns: Turn[]): void
  /** Resolves when it is the turn's time. */
  before(script: string, turn: number): Promise<void>
  /** Runs `work` when these turns wait all at once, and before the first of them begins. */
  interrupt(turns: Turn[], work: () => Promise<void>): void
  /** Lets nobody wait any longer: something has failed. */
  fail(error: Error): void
}

interface Turn {
  script: string
  turn: number
}

/** A client starts within a minute, also on a busy machine. */
const PATIENCE_MS = 120_000

const keyOf = ({ script, turn }: Turn): string => `${script} ${turn}`

export function takeTurns(): Order {
  const turns: string[] = []
  const waiting = new Map<string, { resolve(): void; reject(error: Error): void }>()
  let pause: { keys: string[]; work: () => Promise<void>; isRunning: boolean } | undefined
  let failure: Error | undefined

  /** Whoever waits for the next turn goes on. */
  function callNext(): void {
    const [next] = turns
    if (next === undefined || !waiting.has(next) || pause?.isRunning) return
    if (pause?.keys.includes(next)) {
      if (pause.keys.every((key) => waiting.has(key))) void interruptNow(pause)
      return
    }
    turns.shift()
    waiting.get(next)!.resolve()
    waiting.delete(next)
    callNext()
  }

  async function interruptNow(now: NonNullable<typeof pause>): Promise<void> {
    now.isRunning = true
    try {
      await now.work()
    } catch (error) {
      fail(error as Error)
      return
    }
    pause = undefined
    callNext()
  }

  function fail(error: Error): void {
    failure = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  return {
    add: (more) => void turns.push(...more.map(keyOf)),
    before(script, turn) {
      if (failure) return Promise.reject(failure)
      const key = keyOf({ script, turn })
      if (!turns.includes(key)) return Promise.resolve()
      const stuck = setTimeout(() => fail(new Error(`${turns[0]} does not come`)), PATIENCE_MS)
      return new Promise<void>((resolve, reject) => {
        waiting.set(key, { resolve, reject })
        callNext()
      }).finally(() => clearTimeout(stuck))
    },
    interrupt(at, work) {
      pause = { keys: at.map(keyOf), work, isRunning: false }
    },
    fail,
  }
}
