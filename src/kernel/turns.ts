import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that is done in slices holds the thread no longer than this, but for its longest slice. */
const HELD_MS = 15

/** Slices of one piece of work, between which others get their turn. */
export class Turns {
  #began = performance.now()

  /** Call it after each slice. Resolves in a later turn of the event loop when this one has taken long. */
  async give(): Promise<void> {
    if (performance.now() - this.#began < HELD_MS) return
    await nextTurn()
    this.#began = performance.now()
  }
}
