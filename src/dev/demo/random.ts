/** Chance that comes out the same each time: one seed, one sequence. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  /** True in that share of the cases. */
  chance(share: number): boolean
  pick<T>(of: readonly T[]): T
  /** The same ones in another order. */
  shuffled<T>(of: readonly T[]): T[]
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string
  /** As a client calls its session. */
  uuid(): string
  /** A sequence of its own, which does not move this one. */
  fork(name: string): Random
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1))
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => between(0, 15).toString(16)).join('')
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (of) => of[between(0, of.length - 1)]!,
    shuffled(of) {
      const all = [...of]
      for (let i = all.length - 1; i > 0; i--) {
        const other = between(0, i)
        ;[all[i], all[other]] = [all[other]!, all[i]!]
      }
      return all
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    fork(name) {
      let mixed = seed >>> 0
      for (const character of name) mixed = Math.imul(mixed ^ character.codePointAt(0)!, 0x01000193)
      return randomFrom(mixed)
    },
  }
}
