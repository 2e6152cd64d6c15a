/** Memory of a service that nobody asks: what its start or a busy hour took goes back to the system. */
import { setFlagsFromString } from 'node:v8'
import type { Pace } from '../../../kernel/pace.ts'

const LOOK_MS = 1_000
/** Looks in a row that find nobody at work. */
const QUIET = 8
/** Looks for which the engine is frugal: it waits for eight seconds itself, and works in small steps. */
const FRUGAL = 20

/**
 * Has the engine collect garbage as on a machine with little memory, for a while after each time at which somebody asked.
 * Pages take it twice as long then, so it ends with the next request. Dispose of it before the end: code that is kept for
 * the next start counts only under the flags of a start.
 */
export function giveMemoryBack(pace: Pace, setFlag = setFlagsFromString): Disposable {
  let quiet = 0
  let isFrugal = false
  const be = (frugal: boolean): void => {
    if (frugal !== isFrugal) setFlag(frugal ? '--optimize-for-size' : '--no-optimize-for-size')
    isFrugal = frugal
  }
  const looks = setInterval(() => {
    quiet = pace.isAsked ? 0 : quiet + 1
    be(quiet >= QUIET && quiet < QUIET + FRUGAL)
  }, LOOK_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(looks)
      be(false)
    },
  }
}
