import { describe, expect, test } from 'vitest'
import type { Agent, Answer } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'

const LONG = `First of all nothing.\n\n${'Filler that says little about anything at all. '.repeat(30)}
The zeppelin moors at the east mast, never at the west one. It leaves at noon.
${'More filler. '.repeat(100)}`

const note = (agent: Agent, title: string, more: object = {}): Promise<Answer> =>
  agent.call('notes_create', { title, body: LONG, project: 'atlas', ...more })

const ask = (agent: Agent, question: object): Promise<Answer> =>
  agent.call('recall', { project: 'atlas', ...question })

/** As decisions count: what is really answered, four bytes a token. */
async function tokens(agent: Agent, question: object): Promise<number> {
  const { content } = await agent.raw('recall', { project: 'atlas', ...question })
  return Buffer.byteLength((content[0] as { text: string }).text) / 4
}

describe('an answer of recall', () => {
  test('is no longer than its budget, in tokens of what is really answered', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const description = 'What the zeppelin does on weekdays, as far as anybody knows. '.repeat(3)
    for (let n = 0; n < 30; n++) {
      await note(agent, `Zeppelin ${n} ${'and its mast '.repeat(8)}`, { description })
    }
    expect(await tokens(agent, { query: 'zeppelin mast', limit: 100 })).toBeLessThanOrEqual(1_000)
    const { hits, near_misses } = await ask(agent, { query: 'zeppelin', limit: 100, explain: true })
    expect(hits.length).toBeGreaterThan(2)
    expect(near_misses.length).toBeGreaterThan(0)
    expect(
      await tokens(agent, { query: 'zeppelin mast', limit: 3, explain: true }),
    ).toBeLessThanOrEqual(1_000)
  })

  test('says how many hits its budget left out, and nothing where all are there', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const description = 'What the zeppelin does on weekdays, as far as anybody knows. '.repeat(3)
    for (let n = 0; n < 30; n++) await note(agent, `Zeppelin ${n}`, { description })

    const { hits, incomplete } = await ask(agent, { query: 'zeppelin', limit: 30 })
    expect(incomplete).toBe(
      `an answer has no room for ${30 - hits.length} more of what was found; ask more narrowly for them`,
    )
    expect(await tokens(agent, { query: 'zeppelin', limit: 30 })).toBeLessThanOrEqual(1_000)
    expect(await ask(agent, { query: 'zeppelin', limit: 2 })).not.toHaveProperty('incomplete')
    const explained = await ask(agent, { query: 'zeppelin', limit: 30, explain: true })
    expect(explained['incomplete']).toContain(`${30 - explained['hits'].length} more`)
  })

  test('shows the passage that matched where a hit has no description, or one that says less', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await note(agent, 'Bare')
    await note(agent, 'Vague', { description: 'About airships' })
    await note(agent, 'Telling', { description: 'The zeppelin moors at the east mast at noon' })

    const { hits } = await ask(agent, { query: 'where does the zeppelin moor?' })
    const passages = Object.fromEntries(hits.map((hit: Answer) => [hit['title'], hit['passage']]))
    const matched = 'The zeppelin moors at the east mast, never at the west one. It leaves at noon.'
    expect(passages).toEqual({
      Bare: expect.stringContaining(matched),
      Vague: expect.stringContaining(matched),
      Telling: undefined,
    })
    for (const { passage = '' } of hits) expect([...passage].length).toBeLessThanOrEqual(200)
  })

  test('shows the beginning of what was found by its title alone', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const filler = 'Rope, ladder and ballast are told of in the book. '.repeat(40)
    const body = `The gale of May broke it.\n\n${filler}\n\n## See also\n\nThe ledger.`
    await note(agent, 'Zeppelin mast', { body })
    await note(agent, 'Harbour', { body: `${filler}\n\n## Airships\n\nOne zeppelin.` })

    const { hits } = await ask(agent, { query: 'zeppelin' })
    const byTitle = Object.fromEntries(hits.map((hit: Answer) => [hit['title'], hit]))
    expect(byTitle['Zeppelin mast'].passage).toMatch(/^The gale of May broke it\./)
    expect(byTitle['Harbour'].passage).toContain('One zeppelin.')
  })

  test('cuts a line without an end to its part that matched', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const body = `${'x'.repeat(900)} ${'word '.repeat(100)}zeppelin ${'🦊'.repeat(300)}`
    await note(agent, 'Endless', { body })

    const [hit] = (await ask(agent, { query: 'zeppelin' }))['hits']
    expect(hit.passage).toContain('zeppelin')
    expect([...hit.passage].length).toBeLessThanOrEqual(200)
    expect(hit.passage.isWellFormed()).toBe(true)
  })

  test('cuts a line of a script without blanks at its sentences', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const filler = '日志里没有别的内容可看。'.repeat(15)
    await note(agent, 'Log', { body: `${filler}“迁移之前必须先停止全部写入！”他说。${filler}` })

    const [hit] = (await ask(agent, { query: '停止全部写入' }))['hits']
    expect(hit.passage).toMatch(/^“迁移之前必须先停止全部写入！”他说。日志/)
  })

  test('shows what stands far behind in a memory of one long passage, as in a short one', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const matched = 'The zeppelin moors at the east mast.'
    const bodies = { short: matched, long: `${'Filler of words. '.repeat(400)}\n${matched}` }
    for (const [name, body] of Object.entries(bodies)) {
      const memory = { name, kind: 'gotcha', description: 'airships', body, project: 'atlas' }
      await agent.call('memory_write', memory)
    }

    const { hits } = await ask(agent, { query: 'where does the zeppelin moor?' })
    expect(hits.map(({ passage }: Answer) => passage)).toEqual([matched, matched])
  })

  test('marks what was superseded since the time that was asked about', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const write = (name: string, more: object = {}): Promise<Answer> =>
      agent.call('memory_write', {
        name,
        kind: 'gotcha',
        description: `the sextant, ${name}`,
        body: 'x',
        project: 'atlas',
        ...more,
      })
    await write('brass')
    await write('iron')
    await house.moveClock('1 day')
    await write('steel', { supersedes: 'brass' })
    const as_of = new Date(Date.now() + 3_600_000).toISOString()

    const { hits } = await ask(agent, { query: 'sextant', as_of })
    const byName = Object.fromEntries(hits.map((hit: Answer) => [hit['name'], hit]))
    expect(byName['brass']).toMatchObject({ ended: 'superseded', superseded_by: 'atlas/steel' })
    expect(byName['iron']).not.toHaveProperty('ended')
    for (const hit of (await ask(agent, { query: 'sextant' }))['hits']) {
      expect(hit).not.toHaveProperty('ended')
    }
  })

  test('to a list that was only looked through has no evidence, unless it is empty', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })
    expect(await ask(agent, { kind: 'gotcha' })).toEqual({ hits: [], evidence: 'none' })
    await agent.call('memory_write', {
      name: 'brass',
      kind: 'gotcha',
      description: 'it is brass',
      body: 'x',
      project: 'global',
    })
    const answer = await ask(agent, { kind: 'gotcha' })
    expect(answer).not.toHaveProperty('evidence')
    expect(answer['hits']).toMatchObject([{ name: 'brass', project: 'global' }])
  })
})

test('says that a question is too long to be looked for whole, and only then', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await agent.call('notes_create', { title: 'Harbour', body: 'the quay', project: 'atlas' })
  const words = (n: number): string =>
    Array.from({ length: n }, (_, at) => `zq${lettersOf(at)}`).join(' ')
  const ask = (query: string) => agent.call('recall', { query, project: 'atlas' })

  expect(await ask(`quay ${words(255)}`)).not.toHaveProperty('incomplete')
  expect(await ask(`quay ${'and the quay '.repeat(500)}`)).not.toHaveProperty('incomplete')
  const cut = await ask(`${words(400)} quay`)
  expect(cut).toMatchObject({
    hits: [],
    incomplete: 'only the first 256 words of query were looked for; ask for the rest apart',
  })
  expect(await ask(`quay ${words(900)}`)).toMatchObject({
    hits: [{ title: 'Harbour' }],
    incomplete: expect.stringContaining('first 256 words'),
  })
})

/** Words without digits, which would be words of their own. */
const lettersOf = (at: number): string =>
  [...at.toString(26)]
    .map((digit) => 'bcdfghjklmnpqrtvwxzyuoaeis'[Number.parseInt(digit, 26)])
    .join('')
