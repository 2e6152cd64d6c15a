import { expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'

const FILLED = 'The harbour has a pier, a crane and a ferry to the island.'

async function write(agent: Agent, notes: Record<string, string>): Promise<void> {
  for (const [title, body] of Object.entries(notes)) {
    await agent.call('notes_create', { title, body, project: 'atlas' })
  }
}

const titles = async (agent: Agent, query: string): Promise<string[]> => {
  const { hits } = await agent.call('recall', { query, project: 'atlas' })
  return (hits as { title: string }[]).map(({ title }) => title)
}

test('a text that has the words as they are asked comes before one that has their stems', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, {
    First: `One listed ship connects here. ${FILLED}`,
    Second: `All listings of connections hang here. ${FILLED}`,
    Third: `The list of each connection lies here. ${FILLED}`,
  })
  expect(await titles(agent, 'listings of connections')).toHaveLength(3)
  expect((await titles(agent, 'listings of connections'))[0]).toBe('Second')
  expect((await titles(agent, 'the list'))[0]).toBe('Third')
  expect((await titles(agent, 'Connection'))[0]).toBe('Third')
  expect((await titles(agent, 'connects'))[0]).toBe('First')
})

test('of two long texts that are full of a word, the one that has more of it comes first', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  const part = (nth: number, word: string) =>
    `## Part ${nth}\n\n${`${word} `.repeat(40)}${FILLED}\n`
  const text = (sections: number) =>
    Array.from({ length: 5 }, (_, nth) =>
      part(nth, nth < sections ? 'lighthouse' : 'mooring'),
    ).join(`\n${`${FILLED} `.repeat(20)}\n\n`)
  await write(agent, { Few: text(2), Many: text(5), Some: text(3) })
  expect(await titles(agent, 'lighthouse')).toEqual(['Many', 'Some', 'Few'])
})

test('a score says how good an answer is from 0 to 1, also where one answer is all there is', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, { Only: `${'lighthouse '.repeat(50)}\n\n${FILLED}`, Other: FILLED })
  const { hits } = await agent.call('recall', { query: 'lighthouse', project: 'atlas' })
  const [only] = hits as { score: number }[]
  expect(only!.score).toBeGreaterThan(0.5)
  expect(only!.score).toBeLessThanOrEqual(1)
})
