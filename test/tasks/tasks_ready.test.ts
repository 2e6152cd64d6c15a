import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, worker } from './given.ts'

const ids = (tasks: { id: string }[]): string[] => tasks.map(({ id }) => id)

describe('tasks_ready', () => {
  test('tells what can be begun, the oldest first, and what waits for what', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const first = await add(alice, 'Benchmark')
    const second = await add(alice, 'Write down')
    const third = await add(alice, 'Switch over', { depends_on: [second, first] })

    expect(await alice.call('tasks_ready')).toEqual({
      project: 'atlas',
      ready: [
        expect.objectContaining({ id: first, status: 'open' }),
        expect.objectContaining({ id: second }),
      ],
      blocked: [
        {
          id: third,
          title: 'Switch over',
          status: 'open',
          project: 'atlas',
          created_by: alice.called,
          depends_on: [first, second].toSorted(),
          blockers: [
            { id: first, title: 'Benchmark', status: 'open' },
            { id: second, title: 'Write down', status: 'open' },
          ],
        },
      ],
      lapsed: [],
      ready_total: 2,
      blocked_total: 1,
      lapsed_total: 0,
    })
  })

  test('a project where nothing is answers with empty lists', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    await alice.call('project_create', { name: 'Empty' })
    expect(await alice.call('tasks_ready', { project: 'empty' })).toEqual({
      project: 'empty',
      ready: [],
      blocked: [],
      lapsed: [],
      ready_total: 0,
      blocked_total: 0,
      lapsed_total: 0,
    })
  })

  test.each(['done', 'dropped'])('a blocker that is %s blocks no more', async (status) => {
    await using house = await openHouse()
    const alice = await worker(house)
    const [a, b] = [await add(alice, 'A'), await add(alice, 'B')]
    const c = await add(alice, 'C', { depends_on: [a, b] })
    await alice.call('tasks_claim', { id: a })
    expect((await alice.call('tasks_ready'))['blocked']).toMatchObject([
      { id: c, blockers: [{ id: a, status: 'in_progress' }, { id: b }] },
    ])

    await alice.call('tasks_update', { id: a, status })
    expect((await alice.call('tasks_ready'))['blocked']).toMatchObject([
      { id: c, blockers: [{ id: b }] },
    ])
    await alice.call('tasks_update', { id: b, status })
    expect(ids((await alice.call('tasks_ready'))['ready'])).toEqual([c])

    await alice.call('tasks_update', { id: a, status: 'open' })
    const again = await alice.call('tasks_ready')
    expect(ids(again['ready'])).toEqual([a])
    expect(ids(again['blocked'])).toEqual([c])
  })

  test('what is in progress is neither, until nobody carries it: then it has lapsed', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const [held, begun] = [await add(alice, 'held'), await add(alice, 'begun')]
    await alice.call('tasks_claim', { id: held, lease_seconds: 60 })
    await alice.call('tasks_update', { id: begun, status: 'in_progress' })

    expect(await alice.call('tasks_ready')).toMatchObject({
      ready: [],
      blocked: [],
      lapsed: [{ id: begun }],
      lapsed_total: 1,
    })
    await house.moveClock('61 seconds')
    expect(ids((await alice.call('tasks_ready'))['lapsed'])).toEqual([held, begun])
  })

  test('steps of a plan are told apart from what belongs to none, and global from projects', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const loose = await add(alice, 'loose')
    const step = await add(alice, 'step', { plan: 'launch' })
    const everywhere = await add(alice, 'everywhere', { project: 'global' })

    expect(ids((await alice.call('tasks_ready'))['ready'])).toEqual([loose])
    expect(ids((await alice.call('tasks_ready', { plan: 'launch' }))['ready'])).toEqual([step])
    expect(ids((await alice.call('tasks_ready', { project: 'global' }))['ready'])).toEqual([
      everywhere,
    ])
  })

  test('limit bounds each list, and the totals tell of the rest', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const first = await add(alice, 'A')
    for (let n = 0; n < 3; n++) {
      await add(alice, `R${n}`)
      await add(alice, `B${n}`, { depends_on: [first] })
    }
    const queue = await alice.call('tasks_ready', { limit: 2 })
    expect(queue['ready']).toHaveLength(2)
    expect(queue['blocked']).toHaveLength(2)
    expect(queue).toMatchObject({ ready_total: 4, blocked_total: 3 })
  })

  test('of a long body the beginning is told, and of many blockers the first', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const many: string[] = []
    for (let n = 0; n < 25; n++) many.push(await add(alice, `B${n}`))
    const id = await add(alice, 'A', { depends_on: many, body: 'x'.repeat(5_000) })

    const [blocked] = (await alice.call('tasks_ready', { bodies: true }))['blocked']

    expect(blocked).toMatchObject({ body_cut: true, depends_on_total: 25, blockers_total: 25 })
    expect(blocked['body']).toHaveLength(1_000)
    expect(blocked['blockers']).toHaveLength(20)
    const { tasks } = await alice.call('tasks_list', { id })
    expect(tasks[0]['body']).toHaveLength(5_000)
    expect(tasks[0]['depends_on']).toHaveLength(25)
    expect(tasks[0]).not.toHaveProperty('body_cut')
  })

  test('a blocker behind a fence shows as its id alone', async () => {
    await using house = await openHouse()
    const bob = await worker(house, 'delta')
    const alice = await worker(house)
    const blocker = await add(bob, 'told nowhere else')
    await add(alice, 'A', { depends_on: [blocker] })
    await house.app.database.db
      .updateTable('projects')
      .set({ isolation: 'confidential' })
      .where('slug', '=', 'delta')
      .execute()

    const [blocked] = (await alice.call('tasks_ready', { bodies: true }))['blocked']

    expect(blocked['blockers']).toEqual([{ id: blocker }])
  })

  test('refuses a project behind a fence, and a limit past two hundred', async () => {
    await using house = await openHouse()
    await worker(house, 'ledger', 'confidential')
    const alice = await worker(house)
    await expect(alice.call('tasks_ready', { project: 'ledger' })).rejects.toThrow(
      'project ledger is confidential',
    )
    await expect(alice.call('tasks_ready', { limit: 201 })).rejects.toThrow('must be <= 200')
    await expect(alice.call('tasks_ready', { status: 'open' })).rejects.toThrow(
      'unknown parameter "status"',
    )
  })
})
