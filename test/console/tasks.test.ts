import { describe, expect, test } from 'vitest'
import { ownerOf } from './owner.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { add, row, transitions, UNKNOWN, worker } from '../tasks/given.ts'

describe('the owner', () => {
  test('takes a claim away, whoever holds it and for however long', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const insider = await worker(house, 'crypt', 'sealed')
    const id = await add(insider, 'A')
    const { claim_token } = await insider.call('tasks_claim', { id, lease_seconds: 86_400 })

    const { status, headers } = await owner.post(`/console/tasks/${id}/release`, {
      next: '/console/notes',
    })

    expect([status, headers.location]).toEqual([
      303,
      '/console/notes?notice=Released+%E2%80%9CA%E2%80%9D.',
    ])
    expect(await row(house, id)).toMatchObject({ status: 'open', claimed_by: '', claim_token: '' })
    expect((await transitions(house, id)).at(-1)).toEqual({
      from: 'in_progress',
      to: 'open',
      released: true,
      by: 'console',
    })
    await expect(insider.call('tasks_update', { id, status: 'done', claim_token })).rejects.toThrow(
      'task already claimed',
    )
  })

  test('is told what cannot be taken away, and of an unknown task', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const alice = await worker(house)
    const id = await add(alice, 'A')
    const free = await owner.post(`/console/tasks/${id}/release`, { next: '//elsewhere.example' })
    expect(free.status).toBe(303)
    expect(free.headers.location).toMatch(/^\/console\/tasks\/\w+\?error=task.*not\+claimed/)
    expect((await owner.post(`/console/tasks/${UNKNOWN}/release`)).status).toBe(404)
    const json = await owner.post(
      `/console/tasks/${id}/release`,
      {},
      { accept: 'application/json' },
    )
    expect([json.status, json.body]).toEqual([
      409,
      { error: expect.stringContaining('not claimed') },
    ])
  })
})

describe('the tasks', () => {
  const list = async (house: House, query = ''): Promise<any> =>
    (await ownerOf(house).json(`/console/tasks${query}`)).body
  const one = async (house: House, id: string): Promise<any> =>
    (await ownerOf(house).json(`/console/tasks/${id}`)).body
  const titles = (tasks: { title: string }[]) => tasks.map(({ title }) => title)

  test('stand by what is ready, in progress, blocked and closed, the newest first', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const first = await add(alice, 'first')
    await add(alice, 'second')
    const held = await add(alice, 'held')
    await add(alice, 'waits', { depends_on: [first, held] })
    await alice.call('tasks_claim', { id: held })
    for (const [title, status] of [
      ['finished', 'done'],
      ['given up', 'dropped'],
    ] as const) {
      await alice.call('tasks_update', { id: await add(alice, title), status })
    }
    const { ready, inProgress, blocked, closed, ...rest } = await list(house)
    expect(titles(ready)).toEqual(['second', 'first'])
    expect(titles(inProgress)).toEqual(['held'])
    expect(titles(blocked)).toEqual(['waits'])
    expect(titles(closed)).toEqual(['given up', 'finished'])
    expect(rest).toEqual({
      counts: { ready: 2, inProgress: 1, blocked: 1, closed: 2 },
      closedMore: 0,
    })
    expect(blocked[0]).toMatchObject({
      ...{ project: 'atlas', status: 'open', deps: 2 },
      blockers: [
        { id: first, title: 'first', status: 'open' },
        { id: held, title: 'held', status: 'in_progress' },
      ],
    })
  })

  test('show the 25 closed last and count the rest, which a filter shows', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    for (let n = 0; n < 27; n++) {
      await alice.call('tasks_update', { id: await add(alice, `task ${n}`), status: 'done' })
    }
    const { closed, closedMore, counts } = await list(house)
    expect([closed.length, closedMore, counts.closed]).toEqual([25, 2, 27])
    expect(closed[0].title).toBe('task 26')
    expect((await list(house, '?status=closed')).closed).toHaveLength(27)
    const { text } = await ownerOf(house).get('/console/tasks')
    expect(text).toContain('<a href="/console/tasks?status=closed">all closed</a>')
  })

  test('are filtered by words, project and state, strictly', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    await add(alice, 'Chart the reef')
    await add(bob, 'Mend the net', { body: 'Beside the reef' })
    const ready = async (query: string) => titles((await list(house, query)).ready).toSorted()
    expect(await ready('?q=REEF')).toEqual(['Chart the reef', 'Mend the net'])
    expect(await ready('?q=100%25')).toEqual([])
    expect(await ready('?project=delta')).toEqual(['Mend the net'])
    expect(await ready('?project=global')).toEqual([])
    expect(await ready('?status=blocked')).toEqual([])
    expect((await ownerOf(house).json('/console/tasks?status=lost')).status).toBe(400)
    expect((await ownerOf(house).get('/console/tasks?q=nothing-like-it')).text).toContain(
      'Nothing matches',
    )
  })

  test('that are not closed are shown without the closed ones', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    await add(alice, 'open')
    const over = await add(alice, 'over')
    await alice.call('tasks_update', { id: over, status: 'done' })
    const { ready, closed, counts } = await list(house, '?status=open')
    expect([titles(ready), closed]).toEqual([['open'], []])
    expect(counts).toMatchObject({ ready: 1, closed: 1 })
  })

  test('are counted at the head as the list shows them', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    await add(alice, 'open')
    await add(alice, 'waits', { depends_on: [await add(alice, 'first')] })
    const over = await add(alice, 'over')
    await alice.call('tasks_update', { id: over, status: 'done' })
    const head = async (query = '') => {
      const { text } = await ownerOf(house).get(`/console/tasks${query}`)
      return /<p class="page-count">(.*?)<\/p>/.exec(text)?.[1]?.replaceAll(/<.*?>/g, '')
    }
    expect(await head()).toBe('3 not closed')
    expect(await head('?status=closed')).toBe('1 closed')
    expect(await head('?status=blocked')).toBe('1 blocked')
    expect(await head('?status=in_progress')).toBe('0 in progress')
    expect(await head('?status=ready&q=first')).toBe('1 ready')
  })

  test('tell of one its text, its claim with the time left, and both directions of what waits', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const first = await add(alice, 'first')
    const id = await add(alice, 'held', { body: 'With **words**.', depends_on: [] })
    const next = await add(alice, 'next', { depends_on: [id, first] })
    await alice.call('tasks_claim', { id, lease_seconds: 600, paths: ['src/reef/**'] })
    expect(await one(house, id)).toMatchObject({
      ...{ title: 'held', body: 'With **words**.', status: 'in_progress', claimLive: true },
      ...{ paths: ['src/reef/**'], overlaps: [], deps: [], depsTotal: 0 },
      ...{ leaseLeft: expect.any(String), leaseExp: expect.any(String) },
      blocks: [{ id: next, title: 'next', status: 'open' }],
      history: [{ kind: 'task.transition' }, { kind: 'task.transition' }],
    })
    expect(titles((await one(house, next)).deps).toSorted()).toEqual(['first', 'held'])
    await house.moveClock('20 minutes')
    expect(await one(house, id)).toMatchObject({ claimLive: false, lapsedFor: expect.any(String) })
    const { text } = await ownerOf(house).get(`/console/tasks/${id}`)
    expect(text).toContain('any agent may take it up')
    expect(text).toContain(`action="/console/tasks/${id}/release"`)
    const peek = await ownerOf(house).get(`/console/tasks/${next}?peek=1`)
    expect([peek.status, peek.text.includes('<html')]).toEqual([200, false])
    expect((await ownerOf(house).get(`/console/tasks/${UNKNOWN}`)).status).toBe(404)
  })

  test('say of a claim who changes the same paths', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const [mine, other] = [await add(alice, 'mine'), await add(bob, 'other')]
    await alice.call('tasks_claim', { id: mine, paths: ['src/reef/**'] })
    await bob.call('tasks_claim', { id: other, paths: ['src/reef/chart.ts'] })
    expect((await one(house, mine)).overlaps).toMatchObject([
      { id: other, title: 'other', paths: ['src/reef/chart.ts'], called: expect.any(String) },
    ])
    expect((await ownerOf(house).get(`/console/tasks/${mine}`)).text).toContain('Same paths')
  })

  test('are none yet in a store that is new', async () => {
    await using house = await openHouse()
    expect((await ownerOf(house).get('/console/tasks')).text).toContain('No tasks yet')
  })
})
