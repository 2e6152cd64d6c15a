/** What the gardener raises by default, in what it ought to: precision and recall of each pass. */
import { updateStatistics } from '../../src/passages/passages.ts'
import { buildHouse } from '../helpers/build-house.ts'
import { raisedBy, type Verdict } from './gardener-cases.ts'
import { playHistories } from './gardener-histories.ts'
import { halfOf, layPairs, PAIR_SETS, readPairs, sharedWords, type Half } from './gardener-pairs.ts'
import { playSignals } from './gardener-signals.ts'
import type { BenchOptions, Report } from './run.ts'

/** The least precision of any pass, and what is promised of duplicates without a model, on the half kept apart. */
const PRECISION = 0.8
const DUPLICATES = { precision: 0.9, recall: 0.6 }
const HALVES: readonly Half[] = ['tuning', 'kept']

export async function gardenerQuality({ log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const verdicts = [
    ...(await playDuplicates(log)),
    ...(await playHistories()),
    ...(await playSignals()),
  ]
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
    half === 'kept' && pass === 'duplicates' ? DUPLICATES : { precision: PRECISION, recall: 0 }
  if (precision < floor.precision)
    report.missed.push(`${pass}, ${half}: precision < ${floor.precision}`)
  if (recall < floor.recall) report.missed.push(`${pass}, ${half}: recall < ${floor.recall}`)
}

const share = (part: number, whole: number): number =>
  Number((whole === 0 ? 1 : part / whole).toFixed(3))

/** Each labelled pair is a case, and so is each other pair that was raised: nobody says that those are the same. */
async function playDuplicates(log: (line: string) => void): Promise<Verdict[]> {
  const pairs = await readPairs()
  await using house = await buildHouse({ within: true })
  const agent = await house.connect()
  const laid = await layPairs(agent, pairs)
  while ((await updateStatistics(house.app.kernel, { most: 100_000 })) > 0);
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
      ...{ pass: 'duplicates', id, right: label === 'same', raised: found.has(id) },
    })),
    ...strays.map(([a]) => ({ pass: 'duplicates', id: a.pair.id, right: false, raised: true })),
  ]
}
