import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, UNKNOWN, worker } from './given.ts'

const ids = (tasks: { id: string }[]): string[] => tasks.map(({ id }) => id)

describe('tasks_list', () => {
  test('tells the tasks of a project, the newest first, of no plan unless one is named', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const [a, b] = [await add(alice, 'A'), await add(alice, 'B')]
    const step = await add(alice, 'C', { plan: 'launch' })
    await alice.call('tasks_update', { id: a, status: 'done' })

    expect(await alice.call('tasks_list')).toMatchObject({
      project: 'atlas',
      tasks: [{ id: b }, { id: a }],
      total: 2,
    })
    expect(ids((await alice.call('tasks_list', { plan: 'launch' }))['tasks'])).toEqual([step])
    expect(ids((await alice.call('tasks_list', { status: 'done' }))['tasks'])).toEqual([a])
    expect(await alice.call('tasks_list', { limit: 1 })).toMatchObject({
      tasks: [{ id: b }],
      total: 2,
    })
    expect(await alice.call('tasks_list', { project: 'global' })).toEqual({
      project: 'global',
      tasks: [],
      total: 0,
    })
  })

  test('one by its id is told whole, wherever it lies and whatever else is asked', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    const blocker = await add(bob, 'A')
    const id = await add(bob, 'B', { body: 'all of it', depends_on: [blocker] })
    expect(await alice.call('tasks_list', { id, status: 'done' })).toEqual({
      project: 'delta',
      tasks: [
        {
          id,
          title: 'B',
          body: 'all of it',
          status: 'open',
          project: 'delta',
          created_by: bob.called,
          depends_on: [blocker],
        },
      ],
      total: 1,
    })
  })

  test('never tells a claim_token', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    const { claim_token } = await alice.call('tasks_claim', { id })
    const lists = [
      await alice.call('tasks_list'),
      await alice.call('tasks_list', { id }),
      await alice.call('tasks_ready'),
    ]
    expect(JSON.stringify(lists)).not.toContain(claim_token)
    expect(lists[0]).toMatchObject({ tasks: [{ claimed_by: alice.called }] })
  })

  describe('refuses', () => {
    test.each<[Record<string, unknown>, string]>([
      [{ id: UNKNOWN }, `tasks_list: task not found: "${UNKNOWN}"`],
      [
        { status: 'ready' },
        'invalid status "ready": valid values are open, in_progress, done, dropped',
      ],
      [{ limit: 0 }, 'must be >= 1'],
      [{ query: 'x' }, 'to search, use recall'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const alice = await worker(house)
      await expect(alice.call('tasks_list', args)).rejects.toThrow(message)
    })

    test('what lies behind a fence as if it were not there', async () => {
      await using house = await openHouse()
      const insider = await worker(house, 'crypt', 'sealed')
      const id = await add(insider, 'A')
      const alice = await worker(house)
      const said = (one: string): Promise<string> =>
        alice.call('tasks_list', { id: one }).then(String, String)
      expect((await said(id)).replace(id, UNKNOWN)).toBe(await said(UNKNOWN))
    })
  })
})
