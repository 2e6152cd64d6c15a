/**
 * The faults in full: `node test/faults/run.ts [--rounds N] [--seed S] [--untimed] [names…]`, where a
 * name is an id or a part of a title. Times are told and not judged with --untimed, for a machine that
 * others use as well. Exits with 1 when something did not hold.
 */
import { parseArgs } from 'node:util'
import { seeded } from '../attacks/attack.ts'
import { faults } from './list.ts'

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string' }, seed: { type: 'string' }, untimed: { type: 'boolean' } },
  allowPositionals: true,
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const wanted = faults.filter(
  ({ id, title }) =>
    positionals.length === 0 || positionals.some((name) => id === name || title.includes(name)),
)
console.log(`seed ${seed}`)
let [held, failed] = [0, 0]
for (const fault of wanted) {
  const rounds = Number(values.rounds ?? fault.rounds)
  const missing = fault.missing?.({ full: true })
  if (missing) {
    console.log(`skip ${fault.id}: ${fault.title} (${missing})`)
    continue
  }
  const began = performance.now()
  const log = (line: string): void => console.log(`    ${line}`)
  try {
    const timed = !values.untimed
    const figures = await fault.run({ rounds, random: seeded(seed), full: true, timed, log })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`ok   ${fault.id}: ${fault.title} (${rounds} rounds, ${seconds} s): ${figures}`)
    held++
  } catch (error) {
    console.log(`FAIL ${fault.id}: ${fault.title}`)
    console.log(error)
    failed++
  }
}
console.log(`${held} held, ${failed} did not, ${wanted.length - held - failed} could not run here`)
process.exit(failed > 0 ? 1 : 0)
