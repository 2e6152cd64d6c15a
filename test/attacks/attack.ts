/** What every attack is: a number of rounds against the running product, and what must hold after each. */
import { randomFrom } from '../../src/dev/demo/random.ts'

export interface Attack {
  /** The row of the list of what must hold: S9, P5, R24. */
  id: string
  /** True when it passes. */
  title: string
  /** Of a full run; the suite runs a hundredth. */
  rounds: number
  /** Takes a few seconds: it runs in `npm test`, and not only in `.ci/run`. */
  quick?: boolean
  /** Nothing of it goes by the database: `.ci/run` leaves it out on its second one. */
  once?: boolean
  run(given: Given): Promise<void>
}

export interface Given {
  rounds: number
  random: Random
  /** A full run: every case, not some. */
  full: boolean
  /** Limits of time are judged, not only told: nobody else uses the machine. */
  timed: boolean
  /** The number of one round, which is run alone. */
  only?: number | undefined
  /** A figure or a remark for the report. */
  log(line: string): void
}

/** Repeatable chance. */
export interface Random {
  seed: number
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  pick<T>(from: readonly T[]): T
  /** Text of up to `length` code points from every corner of Unicode. */
  text(length: number): string
}

export function defineAttack(attack: Attack): Attack {
  return attack
}

export function seeded(seed: number): Random {
  const { next } = randomFrom(seed)
  const int = (below: number): number => Math.floor(next() * below)
  const pick = <T>(from: readonly T[]): T => from[int(from.length)]!
  const point = (): string => String.fromCodePoint(int(pick([0x80, 0x800, 0xd800, 0x11_0000])))
  const text = (length: number): string => Array.from({ length: int(length + 1) }, point).join('')
  return { seed, int, pick, text }
}

/** Throws with everything that was found, the first ten in words. */
export function none(found: readonly unknown[], what: string): void {
  if (found.length === 0) return
  const shown = found.slice(0, 10).map((each) => `  ${JSON.stringify(each)}`)
  throw new Error(`${found.length} × ${what}:\n${shown.join('\n')}`)
}

/** Runs `work` for each number below `count`, at most `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane))
}

/** The value below which `share` of the numbers lie. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
