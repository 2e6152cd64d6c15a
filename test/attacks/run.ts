/**
 * The attacks in full: `node test/attacks/run.ts [--rounds N] [--seed S] [--case N] [--untimed]
 * [names…]`, where a name is an id or a part of a title. Times are told and not judged with --untimed, for a machine that
 * others use as well. Exits with 1 when one of them gets through.
 */
import { parseArgs } from 'node:util'
import { seeded } from './attack.ts'
import { attacks } from './list.ts'

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    case: { type: 'string' },
    untimed: { type: 'boolean' },
  },
  allowPositionals: true,
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const only = values.case === undefined ? undefined : Number(values.case)
const wanted = attacks.filter(
  ({ id, title }) =>
    positionals.length === 0 ||
    positionals.some((name) => id.split(', ').includes(name) || title.includes(name)),
)
console.log(`seed ${seed}`)
let failed = 0
for (const attack of wanted) {
  const rounds = Number(values.rounds ?? attack.rounds)
  const started = performance.now()
  const full = rounds >= attack.rounds
  const log = (line: string): void => console.log(`    ${line}`)
  const problem = await attack
    .run({ rounds, random: seeded(seed), full, timed: full && !values.untimed, only, log })
    .catch((error: unknown) => error)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${problem ? 'FAIL' : 'ok  '} ${attack.id}: ${attack.title} (${rounds} rounds, ${seconds} s)`,
  )
  if (problem) {
    failed++
    console.log(problem instanceof Error ? problem.stack : problem)
  }
}
console.log(`${wanted.length - failed} of ${wanted.length} held`)
process.exitCode = failed > 0 ? 1 : 0
