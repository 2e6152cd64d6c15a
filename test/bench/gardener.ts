/** What the gardener raises by default, in what it ought to: precision and recall of each pass. */
import type { Kernel } from '../../src/kernel/kernel.ts'
import { updateStatistics } from '../../src/passages/passages.ts'
import { buildHouse } from '../helpers/build-house.ts'
import { embedderOf } from '../helpers/embedders.ts'
import { playedBy } from '../helpers/played.ts'
import { checkedWeight, learnedWeight, NONE, readAll } from './asked.ts'
import { raisedBy, type Verdict } from './gardener-cases.ts'
import { playHistories } from './gardener-histories.ts'
import {
  halfOf,
  layPairs,
  PAIR_SETS,
  readPairs,
  sharedWords,
  type Half,
  type LabelledPair,
} from './gardener-pairs.ts'
import { playSignals } from './gardener-signals.ts'
import type { BenchOptions, Report } from './run.ts'

/** The least precision of any pass, and what is promised of duplicates, with a model or without, on the half kept apart. */
const PRECISION = 0.8
const DUPLICATES = { precision: 0.9, recall: 0.6 }
/** How much the words of a text count for the played encoder, where what it says is 1. */
const NOISE = 0.4
/** What stands beside the words while duplicates are looked for, and what it weighs there. */
const BESIDE: Record<string, (kernel: Kernel, pairs: LabelledPair[]) => Promise<unknown>> = {
  none: async () => 0,
  store: async (kernel) => learnedWeight(kernel),
  async encoder(kernel, pairs) {
    kernel.embedder = await embedderOf(kernel.db, 'played', playedBy(meantBy(pairs), NOISE))
    await readAll(kernel)
    return checkedWeight(kernel)
  },
}
const HALVES: readonly Half[] = ['tuning', 'kept']

export async function gardenerQuality({ log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const duplicates: Verdict[] = []
  for (const beside of Object.keys(BESIDE)) duplicates.push(...(await playDuplicates(beside, log)))
  const verdicts = [...duplicates, ...(await playHistories()), ...(await playSignals())]
  for (const [pass, ofPass] of Map.groupBy(verdicts, ({ pass }) => pass)) {
    for (const half of HALVES) judge(report, pass, half, ofPass)
  }
  return report
}

function judge(report: Report, pass: string, half: Half, verdicts: readonly Verdict[]): void {
  const cases = verdicts.filter(({ id }) => halfOf(id) === half)
  const raised = cases.filter(({ raised }) => raised)
  const wanted = cases.filter(({ right }) => right)
  const hits = raised.filter(({ right }) => right).length
  const [precision, recall] = [share(hits, raised.length), share(hits, wanted.length)]
  report.rows.push({ pass, half, cases: cases.length, raised: raised.length, precision, recall })
  const floor =
    half === 'kept' && pass.startsWith('duplicates')
      ? DUPLICATES
      : { precision: PRECISION, recall: 0 }
  if (precision < floor.precision)
    report.missed.push(`${pass}, ${half}: precision < ${floor.precision}`)
  if (recall < floor.recall) report.missed.push(`${pass}, ${half}: recall < ${floor.recall}`)
}

const share = (part: number, whole: number): number =>
  Number((whole === 0 ? 1 : part / whole).toFixed(3))

/** Each labelled pair is a case, and so is each other pair that was raised: nobody says that those are the same. */
async function playDuplicates(beside: string, log: (line: string) => void): Promise<Verdict[]> {
  const pass = beside === 'none' ? 'duplicates' : `duplicates beside ${beside}`
  const pairs = await readPairs()
  await using house = await buildHouse({ within: true })
  const { kernel } = house.app
  const own = kernel.embedder
  kernel.embedder = NONE
  const agent = await house.connect()
  const laid = await layPairs(agent, pairs)
  while ((await updateStatistics(kernel, { most: 100_000 })) > 0);
  if (beside !== 'none') kernel.embedder = own
  log(`${pass}: what is meant weighs ${String(await BESIDE[beside]!(kernel, pairs))}`)
  const byId = new Map(laid.map((memory) => [memory.id, memory]))
  const raised = (await raisedBy(house, 'duplicates')).map(
    ({ items: [a, b] }) => [byId.get(a!)!, byId.get(b!)!] as const,
  )
  await agent.close()
  const found = new Set(raised.map(([a, b]) => (a.pair === b.pair ? a.pair.id : '')))
  const strays = raised.filter(([a, b]) => a.pair !== b.pair)
  for (const [a, b] of strays)
    log(`raised although nobody says they are the same: ${a.pair.id}, ${b.pair.id}`)
  for (const pair of pairs) {
    if (found.has(pair.id) && pair.label === 'other') log(`raised wrongly: ${pair.id}`)
  }
  for (const set of PAIR_SETS) {
    const ofSet = pairs.filter((pair) => pair.set === set)
    const words = ofSet.reduce((sum, { a, b }) => sum + sharedWords(a, b), 0) / ofSet.length
    const count = ofSet.filter(({ id }) => found.has(id)).length
    log(
      `${set}: ${count} of ${ofSet.length} raised, ${Math.round(100 * words)} % of their words in common`,
    )
  }
  return [
    ...pairs.map(({ id, label }) => ({
      ...{ pass, id, right: label === 'same', raised: found.has(id) },
    })),
    ...strays.map(([a]) => ({ pass, id: a.pair.id, right: false, raised: true })),
  ]
}

/** To an encoder two that could replace each other are one thing, and any others are two. */
const meantBy = (pairs: readonly LabelledPair[]) => ({
  docs: pairs.flatMap(({ id, label, a, b }) =>
    [a, b].map(({ name, description, body }, nth) => ({
      id: label === 'same' ? id : `${id} ${nth}`,
      text: `${name}\n${description}\n${body}`,
    })),
  ),
  queries: [],
})
