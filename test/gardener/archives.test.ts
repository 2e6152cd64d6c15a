import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import type { Agent } from '../helpers/agent.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('the passes that propose to archive', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = (name: string, more: object = {}) =>
    agent.call('memory_write', {
      ...{ name, kind: 'gotcha', description: `About ${name}`, body: `What ${name} says` },
      ...more,
    })
  const run = (pass?: string) => garden(house, pass)
  const proposed = async (): Promise<Record<string, string>> => {
    const { proposals } = await agent.call('gardener_proposals', {})
    return Object.fromEntries(
      proposals.map(({ payload }: any) => [payload.name, payload.reason]).toSorted(),
    )
  }
  const decide = async (name: string, action: string) => {
    const { proposals } = await agent.call('gardener_proposals', {})
    const { id } = proposals.find(({ payload }: any) => payload.name === name)
    await agent.call('gardener_apply', { id, action })
    return id
  }
  const brief = (session: string) =>
    agent.call('session_start', { name: session, project: 'atlas' })

  test('what nobody touched, was shown or read for long is stale, and what is linked, starred or binding is not', async () => {
    await write('quiet')
    await write('linked')
    await write('links', { body: 'See [[linked]].' })
    await write('starred')
    await agent.call('favorite_set', { kind: 'memory', id: 'starred', favorite: true })
    await write('binding', { kind: 'constraint' })
    await write('read')
    await house.moveClock('60 days')
    await agent.call('memory_read', { name: 'read' })
    expect(await run()).toMatchObject({ staleness: { proposed: 0, held_back: 0 } })
    await house.moveClock('91 days')
    expect(await run()).toMatchObject({
      staleness: { proposed: 2, held_back: 0 },
      'stale-stage': { proposed: 0, held_back: 0 },
      'dead-weight': { proposed: 0, held_back: 0 },
    })
    const reason = 'stale: not changed, shown or read for 91 days'
    expect(await proposed()).toEqual({ links: reason, quiet: reason })
    expect((await run())['staleness']).toEqual({ proposed: 0, held_back: 0 })
  })

  test('a link of a memory that has ended keeps nothing', async () => {
    await write('quiet')
    await write('over', { kind: 'stage', body: 'Status: done\n\nIt is released.' })
    await write('links', { body: 'See [[quiet]] and [[over]].' })
    await write('heir', { supersedes: 'links' })
    await house.moveClock('91 days')
    expect(await run()).toMatchObject({
      staleness: { proposed: 2 },
      'stale-stage': { proposed: 1 },
    })
    expect(Object.keys(await proposed())).toEqual(['heir', 'over', 'quiet'])
  })

  test('what was dismissed is proposed again after it went quiet again, and what was hidden never', async () => {
    await write('quiet')
    await write('secret')
    await house.moveClock('91 days')
    await run()
    await decide('quiet', 'dismiss')
    await decide('secret', 'hide')
    expect((await run())['staleness']).toMatchObject({ proposed: 0 })
    await house.moveClock('92 days')
    await agent.call('memory_read', { name: 'quiet' })
    await agent.call('memory_read', { name: 'secret' })
    await house.moveClock('184 days')
    expect((await run())['staleness']).toMatchObject({ proposed: 1 })
    expect(Object.keys(await proposed())).toEqual(['quiet'])
  })

  test('a stage is over when its header says so or says nothing, and a live one never', async () => {
    for (const status of ['open', 'in_progress', 'blocked', 'done', 'whatever']) {
      await write(`stage-${status.replace('_', '-')}`, {
        kind: 'stage',
        body: `Status: ${status}\nGate: human\n\nThe release waits.`,
      })
    }
    await house.moveClock('15 days')
    expect((await run())['stale-stage']).toEqual({ proposed: 2, held_back: 0 })
    expect(await proposed()).toEqual({
      'stage-done': 'its status is done, and it was not changed for 15 days',
      'stage-whatever': 'its header names no status, and it was not changed for 15 days',
    })
  })

  test('a memory that stands in briefing after briefing and that nobody asks for is dead weight', async () => {
    await write('heavy')
    await write('useful')
    await house.moveClock('20 days')
    for (let n = 0; n < 20; n++) await brief(`day-${n}`)
    await agent.call('memory_read', { name: 'useful' })
    expect((await run())['dead-weight']).toEqual({ proposed: 1, held_back: 0 })
    expect(await proposed()).toEqual({
      heavy: 'in 20 briefings or more of the last 30 days, and nobody asked for it',
    })
    await decide('heavy', 'dismiss')
    for (let n = 20; n < 39; n++) await brief(`day-${n}`)
    expect((await run())['dead-weight']).toMatchObject({ proposed: 0 })
    await brief('day-39')
    expect((await run())['dead-weight']).toMatchObject({ proposed: 1 })
  })

  test('a run proposes as much as a person reads, and says how much it holds back', async () => {
    for (let n = 0; n < 23; n++) await write(`quiet-${n}`)
    await house.moveClock('91 days')
    expect((await run('staleness'))['staleness']).toEqual({ proposed: 20, held_back: 3 })
    expect((await run('staleness'))['staleness']).toEqual({ proposed: 3, held_back: 0 })
    await expect(run('weeding')).rejects.toThrow(
      'there is no pass "weeding": one of duplicates, staleness',
    )
  })

  test('a file that cannot be read fails the passes, since it may link to anything', async () => {
    await write('quiet')
    await write('broken')
    const path = join(house.dir, 'memory', 'atlas', 'broken.md')
    await writeFile(path, (await readFile(path, 'utf8')).replace('kind: gotcha', 'kind: poem'))
    await house.app.kernel.catchUp.gap(house.app.kernel)
    await reconcile(house.app.kernel)
    await house.moveClock('91 days')
    expect((await run())['staleness']).toMatchObject({
      proposed: 0,
      failed: expect.stringContaining('memory/atlas/broken.md cannot be read'),
    })
    expect(await proposed()).toEqual({})
  })

  test('what a pass refuses is told to the operator in words, and is no fault', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    await using noted = await openHouse({ log })
    const agent = await noted.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    await agent.call('memory_write', { name: 'torn', kind: 'gotcha', description: 'd', body: 'b' })
    await writeFile(join(noted.dir, 'memory', 'atlas', 'torn.md'), '---\nkind: [\n---\n')
    await reconcile(noted.app.kernel)
    lines.length = 0
    await garden(noted, 'staleness')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        ...{ level: 40, pass: 'staleness', msg: 'a pass of the gardener was left out' },
        why: expect.stringContaining('memory/atlas/torn.md cannot be read'),
      },
    ])
    expect(lines[0]).not.toContain('stack')
  })
})
