import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { judge } from '../../src/recall/evidence.ts'
import { openHouse } from '../helpers/house.ts'

/** Notes of sixty passages each, which say the same in other words every time. */
async function fill(agent: Agent, notes: number): Promise<void> {
  for (let note = 0; note < notes; note++) {
    const sections = Array.from({ length: 60 }, (_, n) => {
      const word = `${lettersOf(note)}${lettersOf(n)}ish`
      // Long enough to be a passage of its own.
      return `## Stage ${word}\n\n${`The depot of ${word} was looked at and left as it is. `.repeat(12)}`
    })
    const body = sections.join('\n\n')
    await agent.call('notes_create', { title: `Round ${lettersOf(note)}`, body, project: 'atlas' })
  }
}

const lettersOf = (n: number): string =>
  String.fromCharCode(97 + Math.floor(n / 20), 98 + (n % 20), 113)

const remember = (agent: Agent, name: string, description: string) =>
  agent.call('memory_write', {
    ...{ name, kind: 'gotcha', description, body: `${description}.`, project: 'atlas' },
  })

/** A store of some hundred passages, which knows three things. */
async function openFilled() {
  const house = await openHouse()
  const agent = await house.connect()
  await fill(agent, 4)
  await remember(agent, 'brass-gauge', 'The brass gauge sticks in frost, tap it before reading')
  await remember(agent, 'winch-north', 'The winch halts when its drum overheats, wait ten minutes')
  await remember(agent, 'winch-south', 'The winch halts when its drum overheats, wait six minutes')
  const ask = async (query: string): Promise<{ evidence: string; first: string }> => {
    const answer = await agent.call('recall', { query, project: 'atlas' })
    return { evidence: answer['evidence'], first: answer['hits'][0]?.name }
  }
  return { house, agent, ask }
}

describe('evidence in a store of some hundred passages', () => {
  test('is strong when the best hit has much of the question and nothing else comes near', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    expect(await ask('gauge sticks in frost, is it broken?')).toEqual({
      ...{ evidence: 'strong', first: 'brass-gauge' },
    })
  })

  test('is weak when a second hit has as much of it', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    const { evidence, first } = await ask('winch halts, drum overheats, is it broken?')
    expect({ evidence, winch: first.startsWith('winch') }).toEqual({
      evidence: 'weak',
      winch: true,
    })
  })

  test('is strong when all of the question is there, however many say it', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    expect(await ask('winch drum overheats')).toMatchObject({ evidence: 'strong' })
  })

  test('is weak when the question is one word that several say, and strong when one does', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    expect(await ask('winch')).toMatchObject({ evidence: 'weak' })
    expect(await ask('gauge')).toEqual({ evidence: 'strong', first: 'brass-gauge' })
  })

  test('is weak when the best hit is far ahead and has little of the question', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    const query = 'zeppelin hangar mooring mast helium depot frost'
    expect(await ask(query)).toEqual({ evidence: 'weak', first: 'brass-gauge' })
  })

  test('is weak when the only hit has little of the question', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    const query = 'zeppelin hangar mooring mast helium frost'
    expect(await ask(query)).toEqual({ evidence: 'weak', first: 'brass-gauge' })
  })

  test('is none when the hits have one word of it that stands everywhere', async () => {
    const { house, ask } = await openFilled()
    await using _ = house
    expect(await ask('zeppelin depot')).toMatchObject({ evidence: 'none' })
  })
})

test('evidence is strong when all of the question is there, whatever the last digit of its share', () => {
  const share = 0.3 + 0.6 + 0.1
  expect(share).toBeLessThan(1)
  const words = { share, words: 3, rarest: 2, passages: 500 }
  expect(judge([words, words].map((words) => ({ score: 0.5, words })))).toBe('strong')
})

test('evidence in a small store is strong when the best hit has most of the question', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await remember(agent, 'winch-north', 'The winch halts when its drum overheats, wait ten minutes')
  await remember(agent, 'winch-south', 'The winch halts when its drum overheats, wait six minutes')
  const ask = async (query: string): Promise<unknown> =>
    (await agent.call('recall', { query, project: 'atlas' }))['evidence']
  expect(await ask('winch halts, drum overheats')).toBe('strong')
  expect(await ask('zeppelin hangar mooring mast winch')).toBe('weak')
})
