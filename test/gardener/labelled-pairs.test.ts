import { describe, expect, test } from 'vitest'
import { readCases } from '../bench/gardener-cases.ts'
import { halfOf, readPairs, sharedWords } from '../bench/gardener-pairs.ts'

describe('the labelled pairs', () => {
  test('are as hard as the promise says: many say the same in other words, and as many only seem to', async () => {
    const pairs = await readPairs()
    const same = pairs.filter(({ label }) => label === 'same')
    const other = pairs.filter(({ label }) => label === 'other')
    const reworded = same.filter(({ a, b }) => sharedWords(a, b) < 0.4)
    expect(reworded.length).toBeGreaterThanOrEqual(same.length / 3)
    expect(other.length).toBeGreaterThanOrEqual(same.length)
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length)
  })

  test('are kept apart from tuning by half, of either label', async () => {
    const pairs = await readPairs()
    for (const label of ['same', 'other']) {
      const ofLabel = pairs.filter((pair) => pair.label === label)
      const kept = ofLabel.filter(({ id }) => halfOf(id) === 'kept').length
      expect(kept / ofLabel.length).toBeGreaterThan(0.4)
      expect(kept / ofLabel.length).toBeLessThan(0.6)
    }
  })

  test('tell memories apart by name, where they lie in one project', async () => {
    const places = (await readPairs()).flatMap(({ project, a, b }) =>
      [a, b].map((said) => `${said.project ?? project}/${said.name}`),
    )
    expect(places.filter((place, nth) => places.indexOf(place) !== nth)).toEqual([])
  })

  test('and the histories of the other passes are four hundred cases and more, with cases of both labels', async () => {
    const sets = ['staleness', 'stages', 'dead-weight', 'plans', 'misses', 'tool-errors']
    const histories = await Promise.all(sets.map((set) => readCases(set)))
    for (const cases of histories) {
      const left = cases.filter(({ label }) => label === 'leave').length
      expect(left / cases.length).toBeGreaterThanOrEqual(0.4)
      expect(left / cases.length).toBeLessThanOrEqual(0.6)
    }
    expect((await readPairs()).length + histories.flat().length).toBeGreaterThanOrEqual(400)
  })
})
