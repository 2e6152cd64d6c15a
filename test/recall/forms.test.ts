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

test('a text about the subject of a question comes before one that has the words of its asking', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, {
    Asking: 'Many people may use it without a key, and many happen to.',
    Subject: 'A berth is free for ships up to two hundred tons.',
  })
  expect(await titles(agent, 'how many tons may a ship have without the need of a berth')).toEqual([
    'Subject',
    'Asking',
  ])
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

/** A text of as many sections; the word stands in the first of them, so many times in each. */
const long = (sections: number, own: number, times: number) =>
  Array.from({ length: sections }, (_, nth) => {
    const word = nth < own ? 'lighthouse' : 'mooring'
    return `## Part ${nth}\n\n${`${word} `.repeat(times)}${`${FILLED} `.repeat(20)}\n`
  }).join('\n')

test('a short text about the one word of a question comes before a long one that names it here and there', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, { Record: long(40, 6, 2), About: long(1, 1, 7), Other: long(40, 0, 2) })
  expect(await titles(agent, 'lighthouse')).toEqual(['About', 'Record'])
})

test('of one word all passages of a text count, not the best ones alone', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, { Throughout: long(16, 14, 2), Here: long(16, 6, 3), Other: long(16, 0, 2) })
  expect(await titles(agent, 'lighthouse')).toEqual(['Throughout', 'Here'])
})

/** A text of eight sections; what some of them have of a word. */
const sections = (words: Record<number, string>) =>
  Array.from({ length: 8 }, (_, nth) => {
    const said = words[nth] ?? 'mooring mooring'
    return `## Part ${nth}\n\n${said} ${`${FILLED} `.repeat(20)}\n`
  }).join('\n')

test('of one word all passages count that have it as it was asked, not the one alone that has most of its stem', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, {
    Stems: sections({ 2: 'listed lists', 4: 'listed listed', 6: 'lists listed' }),
    Asked: sections({ 2: 'listing lists', 4: 'listed listed listed', 6: 'listing' }),
    Other: sections({}),
  })
  expect(await titles(agent, 'listing')).toEqual(['Asked', 'Stems'])
})

test('of texts that have one word as often, the one that has it early comes first', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await write(agent, {
    Late: sections({ 5: 'lighthouse lighthouse', 6: 'lighthouse' }),
    Early: sections({ 1: 'lighthouse lighthouse', 6: 'lighthouse' }),
    Later: sections({ 6: 'lighthouse lighthouse', 7: 'lighthouse' }),
  })
  expect(await titles(agent, 'lighthouse')).toEqual(['Early', 'Late', 'Later'])
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
