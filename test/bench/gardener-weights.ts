/**
 * Fits the weights by which two memories are told to say the same (src/gardener/duplicates/chance.ts) to the half of
 * the labelled pairs that serves tuning: a logistic regression with an L2 penalty, by projected gradient descent. What
 * speaks for a pair never counts against it.
 */
import { Reading } from '../../src/gardener/duplicates/candidates.ts'
import { signsOf, type Signs } from '../../src/gardener/duplicates/likeness.ts'
import { updateStatistics } from '../../src/passages/passages.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import { buildHouse } from '../helpers/build-house.ts'
import { halfOf, layPairs, readPairs } from './gardener-pairs.ts'
import type { BenchOptions, Report } from './run.ts'

const FITTED = ['words', 'letters', 'names', 'values'] as const
const PENALTY = 0.001
const STEPS = 8_000
const RATE = 1
/** Pairs of different cases that share the most, for each memory: they are what a store is full of. */
const STRANGERS = 2
/** Values or sides that stand against each other settle it. */
const isOpen = ({ otherValues, otherSides }: Signs): boolean =>
  otherValues <= 0.25 && otherSides === 0

type Fitted = (typeof FITTED)[number]

interface Example {
  signs: Signs
  same: boolean
}

export async function gardenerWeights({ log }: BenchOptions): Promise<Report> {
  const examples = await readExamples()
  const same = examples.filter((example) => example.same).length
  log(`${examples.length} pairs, ${same} of them the same`)
  const { weights, bias } = fit(examples)
  const rows = [...Object.entries(weights), ['bias', bias] as const]
  return { rows: rows.map(([sign, weight]) => ({ sign, weight: weight.toFixed(2) })), missed: [] }
}

async function readExamples(): Promise<Example[]> {
  await using house = await buildHouse({ within: true })
  const agent = await house.connect()
  const laid = await layPairs(agent, await readPairs())
  await agent.close()
  while ((await updateStatistics(house.app.kernel, { most: 100_000 })) > 0);
  const reading = await Reading.of(house.app.database.db, ownerScope())
  const texts = await reading.texts(laid.map(({ id }) => id))
  const { weights } = reading
  await weights.weigh(texts)
  const read = laid.map((memory, nth) => ({ memory, text: texts[nth]! }))
  const tuned = read.filter(({ memory }) => halfOf(memory.pair.id) === 'tuning')
  const examples: Example[] = []
  for (const [nth, one] of tuned.entries()) {
    const others = tuned
      .slice(nth + 1)
      .filter(({ memory }) => memory.pair.project === one.memory.pair.project)
      .map((other) => ({
        other,
        signs: signsOf(
          one.text.features,
          other.text.features,
          weights.rarityIn(one.memory.pair.project),
        ),
      }))
      .toSorted((a, b) => b.signs.words - a.signs.words)
    const mate = others.find(({ other }) => other.memory.pair === one.memory.pair)
    const strangers = others.filter(({ other }) => other.memory.pair !== one.memory.pair)
    if (mate) examples.push({ signs: mate.signs, same: one.memory.pair.label === 'same' })
    for (const { signs } of strangers.slice(0, STRANGERS)) examples.push({ signs, same: false })
  }
  return examples.filter(({ signs }) => isOpen(signs))
}

function fit(examples: readonly Example[]): { weights: Record<string, number>; bias: number } {
  const weights = Object.fromEntries(FITTED.map((sign) => [sign, 0])) as Record<Fitted, number>
  let bias = 0
  for (let step = 0; step < STEPS; step++) {
    const slope = Object.fromEntries(FITTED.map((sign) => [sign, 0])) as Record<Fitted, number>
    let biasSlope = 0
    for (const { signs, same } of examples) {
      const sum = FITTED.reduce((sum, sign) => sum + weights[sign] * signs[sign], bias)
      const error = 1 / (1 + Math.exp(-sum)) - (same ? 1 : 0)
      for (const sign of FITTED) slope[sign] += error * signs[sign]
      biasSlope += error
    }
    bias -= (RATE * biasSlope) / examples.length
    for (const sign of FITTED) {
      const step = slope[sign] / examples.length + PENALTY * weights[sign]
      weights[sign] = Math.max(0, weights[sign] - RATE * step)
    }
  }
  return { weights, bias }
}
