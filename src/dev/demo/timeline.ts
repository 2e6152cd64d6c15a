/** What happens in a demo, moment by moment: made in any order, carried out in the order of time. */
export interface Beat {
  at: Date
  run(): Promise<unknown>
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export class Timeline {
  readonly #beats: (Beat & { order: number })[] = []

  add(at: Date | number, run: () => Promise<unknown>): void {
    this.#beats.push({ at: new Date(at), run, order: this.#beats.length })
  }

  get length(): number {
    return this.#beats.length
  }

  /** Earliest first; those of one moment as they were added. */
  inOrder(): Beat[] {
    return this.#beats.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.order - b.order)
  }
}
