import { attempt, GROWING } from '../../house/growth.ts'
import { longestTurn } from '../../helpers/turns.ts'
import { defineAttack, none } from '../attack.ts'
import { anySize, anyText, grow } from './sizes.ts'

/** In time of the processor. In a few rounds on a busy machine only a missing bound is seen. */
const TAKEN_MS = { full: 200, few: 1_000 }
const FEW = 10
const GROWN_MIB = 64
const MIB = 1_048_576

export const functions = defineAttack({
  id: 'R31',
  title:
    'budgets: no function that may outgrow its input takes long or much memory, whatever the text',
  rounds: 1_000,
  once: true,
  quick: true,

  async run({ rounds, random, log }) {
    const most = rounds <= FEW ? TAKEN_MS.few : TAKEN_MS.full
    const found: unknown[] = []
    for (const { at, most: longest, input, run } of GROWING) {
      let slowest = 0
      for (let round = 0; round < rounds; round++) {
        const made = anyText(random, anySize(random, longest))
        const text = (grow(made) as string).slice(0, longest)
        const before = memory()
        const given = input?.(text) ?? text
        let said = ''
        const { longestMs: took } = await longestTurn(async () => {
          try {
            await attempt(() => run(given))
          } catch (error) {
            said = `threw ${String(error).slice(0, 200)}`
          }
        })
        slowest = Math.max(slowest, took)
        const grown = memory() - before
        if (took > most) said = `held ${took.toFixed(0)} ms`
        // Garbage counts too, so that it is much before anything is said.
        if (grown > 4 * GROWN_MIB) said = `left ${grown.toFixed(0)} MiB behind`
        if (said !== '') found.push({ at, said, made, length: text.length })
      }
      log(`${at}: held ${slowest.toFixed(1)} ms`)
    }
    none(found, 'a function past its budget')
  },
})

function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / MIB
}
