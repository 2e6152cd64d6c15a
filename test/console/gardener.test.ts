import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tellStatistics } from '../../src/usage/usage.ts'
import type { Agent } from '../helpers/agent.ts'
import { bytesIn } from '../helpers/bytes-in.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

const QUEUE = '/console/gardener'

describe('the gardener’s screen', () => {
  let house: House
  let agent: Agent
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    owner = ownerOf(house)
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    for (const name of ['tides', 'sails', 'masts', 'keels']) await write(name)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = (name: string, more: object = {}) =>
    agent.call('memory_write', {
      ...{ name, kind: 'gotcha', description: `About ${name}`, body: `What ${name} do.` },
      ...more,
    })
  const ask = async (operation: object, request = 'tidy up'): Promise<string> => {
    const { created } = await agent.call('gardener_request', { request, operations: [operation] })
    return (created as string[])[0]!
  }
  const archive = (target: string) => ask({ op: 'archive', target, reason: 'over' })
  const split = async (): Promise<void> => {
    const children = ['atlas-sea', 'atlas-land'].map((slug) => ({ slug, label: slug }))
    await agent.call('gardener_split', { source: 'atlas', instruction: 'in two', children })
  }
  const queue = async (query = ''): Promise<any> => (await owner.json(QUEUE + query)).body
  const card = async (id: string): Promise<any> => (await owner.json(`${QUEUE}/${id}`)).body
  const page = async (path: string): Promise<string> => (await owner.get(path)).text
  const post = (path: string, form?: Record<string, string>) => owner.post(`${QUEUE}/${path}`, form)
  /** The statistics know what was shown so far. */
  const told = async (): Promise<void> => {
    await house.app.kernel.telemetry.flush()
    await tellStatistics(house.app.database.db)
  }
  const ledTo = ({ headers }: { headers: Record<string, unknown> }) => {
    const url = new URL(String(headers['location']), 'http://loam')
    return [url.pathname, url.searchParams.get('notice') ?? url.searchParams.get('error')]
  }

  test('shows what waits, batches apart, and counts what was asked for and what was found', async () => {
    await write('tides-too', { description: 'About tides', body: 'What tides do.' })
    await garden(house, 'duplicates')
    const archived = await archive('masts')
    await split()
    const { groups, cards, ...counts } = await queue()
    expect(counts).toMatchObject({ pendingCount: 8, requestedCount: 7, backgroundCount: 1 })
    expect(counts).toMatchObject({ canRequest: true, recent: [], hidden: [], hiddenCount: 0 })
    expect(groups).toMatchObject([{ slug: 'split-atlas', request: 'in two', moveCount: 5 }])
    expect(groups[0].cards[0]).toMatchObject({ kind: 'split', plan: 'split-atlas', final: true })
    expect(groups[0].targets.map(({ slug }: any) => slug)).toEqual(
      expect.arrayContaining(['atlas-sea', 'atlas-land']),
    )
    expect(cards.map(({ kind }: any) => kind)).toEqual(['archive', 'merge'])
    expect(cards[0]).toMatchObject({
      ...{ id: archived, label: 'Archive', eyebrow: 'Memory clean-up', source: 'request' },
      ...{ requestText: 'tidy up', project: 'atlas', title: 'masts', reason: 'over' },
      archive: { name: 'masts', project: 'atlas', kind: 'gotcha', description: 'About masts' },
    })
  })

  test('is filtered by group and by who asked, and refuses what is neither', async () => {
    await write('tides-too', { description: 'About tides', body: 'What tides do.' })
    await garden(house, 'duplicates')
    await archive('masts')
    await split()
    const kinds = async (query: string) =>
      (await queue(query)).cards.map(({ kind }: { kind: string }) => kind)
    expect(await kinds('?group=cleanup')).toEqual(['archive', 'merge'])
    expect(await kinds('?src=auto')).toEqual(['merge'])
    expect(await kinds('?src=you&group=cleanup')).toEqual(['archive'])
    expect(await kinds('?group=split')).toEqual([])
    expect((await queue('?group=split')).groups).toHaveLength(1)
    for (const query of ['?group=all-of-them', '?src=me']) {
      const { status, body } = await owner.json(QUEUE + query)
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('valid')])
    }
  })

  test('sets the texts of a merge and of a consolidation beside each other', async () => {
    const merge = await ask({ op: 'merge', keep: 'sails', drop: 'tides' })
    const shown = await page(`${QUEUE}/${merge}`)
    expect(shown).toContain('<span class="old" data-sign="−">What tides do.</span>')
    expect(shown).toContain('<span class="new" data-sign="+">What sails do.</span>')
    expect(await card(merge)).not.toHaveProperty('diff')
    const operation = { op: 'consolidate', sources: ['masts', 'keels'], name: 'both' }
    const one = await ask({ ...operation, body: 'What keels do.\n\nAnd masts.' })
    expect(await page(`${QUEUE}/${one}`)).toContain('data-sign="+">And masts.</span>')
    expect(await card(one)).toMatchObject({ newName: 'both', author: 'caller', final: true })
  })

  test('tells what would be missed, and why a proposal is out of date', async () => {
    const id = await archive('tides')
    expect(await card(id)).toMatchObject({ impact: { memories: 1, sessions: 0 } })
    const other = await house.connect()
    await other.call('session_start', { name: 'cove', project: 'atlas' })
    await told()
    expect(await card(id)).toMatchObject({ impact: { memories: 1, sessions: 1 } })
    expect(await card(id)).not.toHaveProperty('stale')
    await agent.call('memory_delete', { name: 'tides' })
    expect(await card(id)).toMatchObject({ stale: expect.stringMatching(/^tides is /) })
    expect(await page(`${QUEUE}/${id}`)).toContain('Out of date.')
  })

  test('counts a session that its client has ended since among those that were told', async () => {
    const at = { repo: 'git@github.com:acme/atlas.git', repo_root: '/home/ana/src/atlas' }
    await callHook(house, 'session-start', fixture('claude-code/session-start', at))
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    await told()
    const { impact } = await card(await archive('tides'))
    expect(impact).toEqual({ memories: 1, sessions: 1 })
  })

  test('leads a decision on to the next proposal, and a refused one back to its card', async () => {
    const [first, second] = [await archive('tides'), await archive('sails')]
    const { next } = await card(second)
    expect(next).toBe(`${QUEUE}/${first}`)
    expect(ledTo(await post(`${second}/apply`, { next }))).toEqual([next, 'Proposal applied.'])
    await agent.call('memory_delete', { name: 'tides' })
    const [place, why] = ledTo(await post(`${first}/apply`, { next: QUEUE }))
    expect([place, why]).toEqual([`${QUEUE}/${first}`, expect.stringContaining('no memory')])
    expect(ledTo(await post(`${first}/dismiss`))).toEqual([QUEUE, 'Proposal dismissed.'])
    expect((await queue()).pendingCount).toBe(0)
  })

  test('leads to the queue from a proposal that was decided in another tab', async () => {
    const id = await archive('tides')
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    const answer = await owner.get(`${QUEUE}/${id}`)
    expect(answer.status).toBe(303)
    expect(ledTo(answer)).toEqual([QUEUE, 'That proposal is dismissed already.'])
    expect((await owner.get(`${QUEUE}/01ARZ3NDEKTSV4RRFFQ69G5FAV`)).status).toBe(404)
  })

  test('undoes a decision by the form that made it, byte for byte', async () => {
    const before = await bytesIn(house.dir, 'memory')
    const id = await archive('tides')
    for (const decision of ['apply', 'dismiss', 'hide']) {
      await post(`${id}/${decision}`)
      expect((await queue()).recent[0]).toMatchObject({ id, undo: 'possible' })
      const [, said] = ledTo(await post(`${id}/${decision}`, { undo: '1' }))
      expect(said).toBe('Taken back: the proposal waits again.')
      expect(await bytesIn(house.dir, 'memory')).toEqual(before)
      expect((await queue()).pendingCount).toBe(1)
    }
    const [, again] = ledTo(await post(`${id}/apply`, { undo: '1' }))
    expect(again).toContain('is pending')
  })

  test('says of what was decided whether it can be taken back, and shows older ones by page', async () => {
    const operation = { op: 'consolidate', sources: ['masts', 'keels'], name: 'both' }
    const one = await ask({ ...operation, body: 'Both.' })
    await post(`${one}/apply`)
    const archived = await archive('tides')
    await post(`${archived}/apply`)
    await agent.call('memory_delete', { name: 'tides' })
    expect((await queue()).recent).toMatchObject([
      { id: archived, status: 'applied', undo: 'changed since' },
      { id: one, status: 'applied', undo: 'final' },
    ])
    const shown = await page(QUEUE)
    expect(shown).toContain('changed since')
    expect(shown).not.toContain(`${QUEUE}/${one}/apply`)
    for (let n = 0; n < 9; n++) {
      await write(`rope-${n}`)
      await post(`${await archive(`rope-${n}`)}/dismiss`)
    }
    expect(await queue()).toMatchObject({ moreDecided: true })
    expect((await queue('?page=2')).recent).toMatchObject([{ id: one }])
  })

  test('lists what is hidden for good until the block is lifted', async () => {
    const id = await archive('tides')
    expect(ledTo(await post(`${id}/hide`))).toEqual([QUEUE, 'Pattern hidden for good.'])
    expect(await queue()).toMatchObject({ hiddenCount: 1, hidden: [{ id, title: 'tides' }] })
    expect(ledTo(await post(`${id}/unhide`))).toEqual([QUEUE, 'Block lifted.'])
    expect((await queue()).hidden).toEqual([])
    const [, why] = ledTo(await post(`${id}/unhide`))
    expect(why).toContain('is not hidden')
  })

  test('proposes what is asked in words, and keeps the words of what it did not understand', async () => {
    const asked = await post('request', { request: 'merge tides into sails', project: 'atlas' })
    expect(ledTo(asked)).toEqual([QUEUE, '1 proposal generated.'])
    const [waits] = (await queue()).cards
    expect(waits).toMatchObject({ kind: 'merge', drop: { name: 'tides' }, keep: { name: 'sails' } })
    const refused = await post('request', { request: 'archive lighthouse', project: 'atlas' })
    expect(ledTo(refused)).toEqual([QUEUE, expect.stringContaining('lighthouse')])
    expect(await page(String(refused.headers['location']))).toContain('>archive lighthouse</')
    const unclear = await post('request', { request: 'make it nice', project: 'atlas' })
    expect(ledTo(unclear)).toEqual([QUEUE, expect.stringContaining('Ask like: merge')])
    expect(ledTo(await post('request', { request: ' ' }))[1]).toContain('must not be blank')
    const elsewhere = await post('request', { request: 'archive tides', project: 'nowhere' })
    expect(ledTo(elsewhere)[1]).toContain('nowhere')
    expect((await queue()).pendingCount).toBe(1)
  })

  test('asks which project is to be split when nobody said, and plans the split then', async () => {
    const instruction = 'split it into atlas-sea and atlas-land'
    const asked = await post('request', { request: instruction })
    const to = new URL(String(asked.headers['location']), 'http://loam')
    expect([to.pathname, to.searchParams.get('split')]).toEqual([QUEUE, instruction])
    expect(await page(to.pathname + to.search)).toContain('Which project is to be split?')
    expect(ledTo(await post('split', { source: '', instruction }))[1]).toContain(
      'source is missing',
    )
    const planned = ledTo(await post('split', { source: 'atlas', instruction }))
    expect(planned).toEqual([QUEUE, 'Split of atlas planned: 5 proposals.'])
    expect((await queue()).groups).toMatchObject([{ moveCount: 4 }])
  })

  test('gives a move another destination, and applies a whole batch with its projects first', async () => {
    await split()
    const { groups } = await queue()
    const [, move] = groups[0].cards
    const { to } = move.reproject
    const other = groups[0].targets.find(({ slug }: any) => slug !== to).slug
    const [, said] = ledTo(await post(`${move.id}/retarget`, { to: other }))
    expect(said).toBe(`${move.reproject.name} now goes to ${other}.`)
    expect(ledTo(await post(`${move.id}/retarget`, { to: '' }))[1]).toContain('to is missing')
    expect(ledTo(await post(`${move.id}/retarget`, { to: 'nowhere' }))[1]).toContain('nowhere')
    expect(ledTo(await post('plan/split-atlas/apply'))).toEqual([QUEUE, 'All 5 applied.'])
    const { project } = await agent.call('memory_read', { id: move.reproject.id })
    expect(project).toBe(other)
    expect((await post('plan/split-atlas/apply')).headers['location']).toContain('error=')
  })

  test('says that nothing needs the owner, and when it looked', async () => {
    await garden(house)
    const shown = await page(QUEUE)
    expect(shown).toContain('Nothing needs you here')
    expect(shown).toContain('It looked')
    expect(shown).toContain('Nothing was decided yet.')
    expect(await page(`${QUEUE}?group=digests`)).toContain('Nothing of this waits')
  })
})
