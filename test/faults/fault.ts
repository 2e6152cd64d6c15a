/** What every fault run is: a number of rounds in which something breaks, and what must hold after each. */
import type { Random } from '../attacks/attack.ts'

export interface Fault {
  /** The row of the list of what must hold: R02, R26. */
  id: string
  /** True when it passes. */
  title: string
  /** Of a full run; the suite runs a hundredth. */
  rounds: number
  /** Takes a few seconds: it runs in `npm test`, and not only in `.ci/run`. */
  quick?: boolean
  /** Nothing of it goes by the database: `.ci/run` leaves it out on its second one. */
  once?: boolean
  /** Why it cannot run here, or null. */
  missing?(given: Pick<Given, 'full'>): string | null
  /** Returns the figures of the run in a line; throws when something did not hold. */
  run(given: Given): Promise<string>
}

export interface Given {
  rounds: number
  random: Random
  /** On its own, not within the suite: servers and devices are made. */
  full: boolean
  /** Limits of time are judged: nobody else uses the machine. */
  timed: boolean
  /** A remark for the report. */
  log(line: string): void
}

export function defineFault(fault: Fault): Fault {
  return fault
}

/** The 95th of a hundred, in words, and the largest. */
export function spread(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  return `p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms, max ${at(1).toFixed(0)} ms`
}
