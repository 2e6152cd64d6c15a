import { expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

interface Hit {
  id: string
  name: string
  score: number
  explain: { boosts?: { utility?: number } }
}

const write = (agent: Agent, name: string, over: object = {}) =>
  agent.call('memory_write', {
    ...{ name, kind: 'gotcha', description: `about ${name}`, body: 'Nothing more.' },
    ...{ project: 'atlas', ...over },
  }) as Promise<{ id: string }>

/** As the owner would see it: explained, which is no use of anything. */
async function ask(house: House, query: string): Promise<Hit[]> {
  await house.app.kernel.telemetry.flush()
  const agent = await house.connect()
  const { hits } = await agent.call('recall', { query, project: 'atlas', explain: true })
  return hits as Hit[]
}
const names = (hits: readonly Hit[]): string[] => hits.map(({ name }) => name)

test('to be listed lifts nothing, however often and whoever asks', async () => {
  await using house = await openHouse()
  const writer = await house.inside('atlas')
  await write(writer, 'sextant-one')
  await write(writer, 'sextant-two', { body: 'The lantern hangs beside it.' })
  const before = await ask(house, 'sextant')
  const outside = await house.connect()
  for (let i = 0; i < 20; i++) {
    await outside.call('recall', { query: 'lantern', project: 'atlas' })
    const inside = await house.inside('atlas')
    await inside.call('recall', { query: 'lantern' })
  }
  const after = await ask(house, 'sextant')
  expect(names(after)).toEqual(names(before))
  expect(after.map(({ score }) => score)).toEqual(before.map(({ score }) => score))
})

test('to be read when it was shown lifts what is as good as equal, once a session', async () => {
  await using house = await openHouse()
  const writer = await house.inside('atlas')
  await write(writer, 'sextant-one')
  const two = await write(writer, 'sextant-two')
  expect(names(await ask(house, 'sextant'))).toEqual(['sextant-one', 'sextant-two'])

  // Without a session it is nobody's use; and unshown it was looked up, not chosen.
  const outside = await house.connect()
  for (let i = 0; i < 5; i++) {
    await outside.call('recall', { query: 'sextant', project: 'atlas' })
    await outside.call('memory_read', { id: two.id })
  }
  const unshown = await house.inside('atlas')
  await unshown.call('memory_read', { id: two.id })
  expect((await ask(house, 'sextant'))[1]!.explain.boosts).toBeUndefined()

  const user = await house.inside('atlas')
  await user.call('recall', { query: 'sextant' })
  await house.app.kernel.telemetry.flush()
  await user.call('memory_read', { id: two.id })
  const once = await ask(house, 'sextant')
  expect(names(once)).toEqual(['sextant-two', 'sextant-one'])
  for (let i = 0; i < 3; i++) await user.call('memory_read', { id: two.id })
  const again = await ask(house, 'sextant')
  expect(again[0]!.explain.boosts!.utility).toBeCloseTo(once[0]!.explain.boosts!.utility!, 4)
})

test('use never lifts one over another that answers better by a fiftieth of the best', async () => {
  await using house = await openHouse()
  const writer = await house.inside('atlas')
  await write(writer, 'depot', { description: 'The sextant and the lantern hang there' })
  const worse = await write(writer, 'pier', { description: 'The sextant hangs there by a rope' })
  for (let i = 0; i < 12; i++) {
    const user = await house.inside('atlas')
    await user.call('recall', { query: 'sextant' })
    await house.app.kernel.telemetry.flush()
    await user.call('memory_read', { id: worse.id })
  }
  const hits = await ask(house, 'sextant lantern')
  expect(names(hits)).toEqual(['depot', 'pier'])
  const { utility } = hits[1]!.explain.boosts!
  // Nearly all that use can add.
  expect(utility).toBeGreaterThan(1)
  const added = hits[1]!.score - hits[1]!.score / utility!
  expect(added).toBeLessThan(0.02 * hits[0]!.score)
})
