import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, row, transitions, UNKNOWN, worker } from './given.ts'

describe('tasks_add', () => {
  test('answers the task as it stands, and tells who made it', async () => {
    await using house = await openHouse()
    const alice = await worker(house)

    const task = await alice.call('tasks_add', { title: '  Move the cache ', body: 'to v2' })

    expect(task).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      title: 'Move the cache',
      status: 'open',
      project: 'atlas',
      created_by: alice.called,
      body: 'to v2',
    })
    expect(await transitions(house, task['id'])).toEqual([{ to: 'open', created: true }])
    const [event] = await house.events('task.transition')
    expect(event).toMatchObject({ project: 'atlas', session_id: alice.session })
  })

  test('an unknown project is registered, and global is said on purpose', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    expect(await agent.call('tasks_add', { title: 'A', project: 'harbor' })).toMatchObject({
      project: 'harbor',
      created_by: '',
    })
    expect(await agent.call('tasks_add', { title: 'A', project: 'global' })).toMatchObject({
      project: 'global',
    })
    const { projects } = await agent.call('project_list')
    expect(projects).toMatchObject([{ slug: 'harbor' }])
  })

  test('a step joins its plan, and its blockers are told sorted and once', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const [first, second] = [await add(alice, 'first'), await add(alice, 'second')]

    const step = await alice.call('tasks_add', {
      title: 'third',
      plan: ' launch ',
      depends_on: [second, first, second],
    })

    expect(step).toMatchObject({ plan: 'launch', depends_on: [first, second].toSorted() })
    expect(await row(house, step['id'])).toMatchObject({ waits_for: 2, blocked: true })
    expect(await transitions(house, step['id'])).toEqual([
      { to: 'open', created: true, plan_slug: 'launch' },
    ])
  })

  test('blockers may lie in another project, and what is finished blocks nothing', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    const elsewhere = await add(bob, 'first')
    const finished = await add(bob, 'finished')
    await bob.call('tasks_update', { id: finished, status: 'dropped' })

    const id = await add(alice, 'second', { depends_on: `${elsewhere}, ${finished}` })

    expect(await row(house, id)).toMatchObject({ waits_for: 1 })
  })

  test('what looks like a credential is pointed out', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const key = `ghp_${'a1B2'.repeat(9)}`

    const task = await alice.call('tasks_add', { title: 'Rotate', body: `the key is ${key}` })

    expect(task['secret_hint']).toMatch(/looks like/)
  })

  describe('refuses', () => {
    test.each<[Record<string, unknown>, string]>([
      [{}, 'tasks_add: missing required: "title"'],
      [{ title: ' ' }, 'tasks_add: title must not be blank'],
      [{ title: 'x'.repeat(501) }, 'tasks_add: title must have at most 500 characters'],
      [{ title: 'A', body: 'x'.repeat(65_537) }, 'tasks_add: body would be larger than 64 KiB'],
      [{ title: 'A', body: 'a', text: 'b' }, 'conflicting values for "body" and "text"'],
      [{ title: 'A', depends_on: [UNKNOWN] }, `tasks_add: task not found: depends_on "${UNKNOWN}"`],
      [
        { title: 'A', depends_on: Array.from({ length: 1_001 }, (_, n) => `T${n}`) },
        'depends_on: at most 1000 ids',
      ],
      [{ title: 'A', project: 'all' }, 'tasks_add: project "all" is reserved'],
      [{ title: 'A', lease: 1 }, 'tasks_add: unknown parameter "lease"'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const alice = await worker(house)

      await expect(alice.call('tasks_add', args)).rejects.toThrow(message)

      expect(await house.events('task.transition')).toEqual([])
      expect(
        await house.app.database.db.selectFrom('tasks').select('id').execute(),
        'nothing was left behind',
      ).toEqual([])
    })

    test('without a session and a project it fails closed', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      await expect(agent.call('tasks_add', { title: 'A' })).rejects.toThrow('ambiguous scope')
    })

    test('a blocker behind a fence in the words of an unknown one', async () => {
      await using house = await openHouse()
      const insider = await worker(house, 'ledger', 'confidential')
      const hidden = await add(insider, 'hidden')
      const alice = await worker(house)

      const said = (id: string): Promise<string> =>
        alice.call('tasks_add', { title: 'A', depends_on: [id] }).then(String, String)

      expect((await said(hidden)).replace(hidden, UNKNOWN)).toBe(await said(UNKNOWN))
    })
  })
})
