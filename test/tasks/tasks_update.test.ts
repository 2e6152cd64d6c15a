import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, row, transitions, UNKNOWN, worker } from './given.ts'

const FREE = { claimed_by: '', claim_token: '', lease_expires_at: null }

describe('tasks_update', () => {
  test.each(['done', 'dropped'])('%s closes the task and lets go of the claim', async (status) => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A', { plan: 'launch' })
    const { claim_token } = await alice.call('tasks_claim', { id })

    const closed = await alice.call('tasks_update', { id, status, claim_token })

    expect(closed).toEqual({
      id,
      title: 'A',
      status,
      project: 'atlas',
      plan: 'launch',
      created_by: alice.called,
    })
    expect(await row(house, id)).toMatchObject({ ...FREE, closed_at: expect.any(Date) })
    expect((await transitions(house, id)).at(-1)).toEqual({
      from: 'in_progress',
      to: status,
      plan_slug: 'launch',
    })
  })

  test('a task that its holder moves behind a fence can be claimed there', async () => {
    await using house = await openHouse()
    const [alice, clerk] = [await worker(house), await worker(house, 'ledger', 'confidential')]
    const id = await add(alice, 'A')
    const { claim_token } = await alice.call('tasks_claim', { id })

    await alice.call('tasks_update', { id, project: 'ledger', claim_token })

    expect(await row(house, id)).toMatchObject({ ...FREE, status: 'open', project: 'ledger' })
    expect((await transitions(house, id)).at(-1)).toEqual({ from: 'in_progress', to: 'open' })
    expect(await clerk.call('tasks_claim', { id })).toMatchObject({ status: 'in_progress' })
  })

  test('any status may become any other; open and in_progress are not closed', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    for (const status of ['done', 'in_progress', 'dropped', 'open', 'in_progress', 'open']) {
      await alice.call('tasks_update', { id, status })
      const closed_at = ['done', 'dropped'].includes(status) ? expect.any(Date) : null
      expect(await row(house, id)).toMatchObject({ status, closed_at, ...FREE })
    }
    expect((await transitions(house, id)).map(({ to }) => to)).toEqual([
      'open',
      'done',
      'in_progress',
      'dropped',
      'open',
      'in_progress',
      'open',
    ])
  })

  test('in_progress claims nothing, whether or not the task is ready', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const blocker = await add(alice, 'A')
    const id = await add(alice, 'B', { depends_on: [blocker] })
    const begun = await alice.call('tasks_update', { id, status: 'in_progress' })
    expect(begun).not.toHaveProperty('claimed_by')
  })

  test('the status it has already is no transition, and keeps the claim', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    await alice.call('tasks_claim', { id })
    const before = await row(house, id)
    const same = await alice.call('tasks_update', { id, status: 'in_progress' })
    expect(same).toMatchObject({ claimed_by: alice.called })
    expect(await transitions(house, id)).toHaveLength(2)
    expect(+(await row(house, id)).updated_at).toBeGreaterThan(+before.updated_at)
  })

  test.each(['', ' '])(
    'a blank claim_token is none, for its holder too: %j',
    async (claim_token) => {
      await using house = await openHouse()
      const alice = await worker(house)
      const id = await add(alice, 'A')
      await alice.call('tasks_claim', { id, claim_token })
      expect(await alice.call('tasks_claim', { id, claim_token })).toMatchObject({ renewed: true })
      expect(await alice.call('tasks_update', { id, title: 'B', claim_token })).toMatchObject({
        title: 'B',
        claimed_by: alice.called,
      })
      expect(await alice.call('tasks_release', { id, claim_token })).toMatchObject({
        status: 'open',
      })
    },
  )

  test('title and body are changed and found under their new words, without a transition', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'Sharpen the saw', { body: 'old words' })
    expect(
      await alice.call('tasks_update', { id, title: ' Oil the hinges ', content: '' }),
    ).toEqual({
      id,
      title: 'Oil the hinges',
      status: 'open',
      project: 'atlas',
      created_by: alice.called,
    })
    expect((await alice.call('recall', { query: 'hinges' }))['hits']).toMatchObject([{ id }])
    expect((await alice.call('recall', { query: 'saw' }))['hits']).toEqual([])
    expect(await transitions(house, id)).toHaveLength(1)
  })

  test('a move registers an unknown project and takes the task along', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'Oil the hinges')
    expect(await alice.call('tasks_update', { id, project: 'harbor' })).toMatchObject({
      project: 'harbor',
    })
    const there = await alice.call('recall', { query: 'hinges', project: 'harbor' })
    expect(there['hits']).toMatchObject([{ id }])
    expect((await alice.call('recall', { query: 'hinges' }))['hits']).toEqual([])
    expect(await alice.call('tasks_update', { id, project: '' })).toMatchObject({
      project: 'global',
    })
  })

  test('further blockers are added, once each, and those it had stay', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const [a, b] = [await add(alice, 'A'), await add(alice, 'B')]
    const id = await add(alice, 'C', { depends_on: [a] })
    const more = await alice.call('tasks_update', { id, add_depends_on: [a, b] })
    expect(more['depends_on']).toEqual([a, b].toSorted())
    expect(await row(house, id)).toMatchObject({ waits_for: 2 })
  })

  test('a lapsed lease locks nobody out, its own holder included', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    const { claim_token } = await alice.call('tasks_claim', { id, lease_seconds: 60 })
    await house.moveClock('61 seconds')
    await bob.call('tasks_update', { id, title: 'B' })
    await alice.call('tasks_update', { id, status: 'done', claim_token })
    expect(await row(house, id)).toMatchObject({ title: 'B', status: 'done' })
  })

  test('one who slept past the lease and wakes up writes over nobody', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    const { claim_token } = await alice.call('tasks_claim', { id, lease_seconds: 60 })
    await house.moveClock('61 seconds')
    await bob.call('tasks_claim', { id })
    await bob.call('tasks_update', { id, status: 'done', body: "bob's" })

    for (const late of [
      { status: 'open' },
      { status: 'done' },
      { body: "alice's" },
      { project: 'harbor' },
      { add_depends_on: [UNKNOWN] },
    ]) {
      await expect(alice.call('tasks_update', { id, claim_token, ...late })).rejects.toThrow(
        'tasks_update: task already claimed',
      )
    }
    expect(await row(house, id)).toMatchObject({ status: 'done', body: "bob's", project: 'atlas' })
    expect((await alice.call('project_list'))['projects']).toMatchObject([{ slug: 'atlas' }])
  })

  test('from outside a confidential project nothing there is changed, and what moves in stays', async () => {
    await using house = await openHouse()
    const insider = await worker(house, 'ledger', 'confidential')
    const id = await add(insider, 'secret title')
    const alice = await worker(house)
    const before = await row(house, id)
    for (const change of [{ body: 'from outside' }, { project: 'atlas' }]) {
      await expect(alice.call('tasks_update', { id, ...change })).rejects.toThrow(
        `tasks_update: task not found: "${id}"`,
      )
    }
    expect(await row(house, id)).toEqual(before)

    const own = await add(alice, 'own title')
    const moved = await alice.call('tasks_update', { id: own, project: 'ledger' })
    expect(moved['withheld']['fields']).toContain('title')
    await expect(alice.call('tasks_update', { id: own, project: 'atlas' })).rejects.toThrow(
      `task not found: "${own}"`,
    )
    expect(await insider.call('tasks_list', { id: own })).toMatchObject({
      tasks: [{ id: own, title: 'own title' }],
    })
    const step = await add(alice, 'a step', { plan: 'harbour' })
    await expect(alice.call('tasks_update', { id: step, project: 'ledger' })).rejects.toThrow(
      'a plan of project ledger is joined by sessions bound to it alone; leave the plan out',
    )
  })

  describe('refuses', () => {
    test.each<[Record<string, unknown>, string]>([
      [{}, 'nothing to change: pass status, title, body, project or add_depends_on'],
      [{ claim_token: 'x' }, 'nothing to change'],
      [{ title: ' ' }, 'title must not be blank'],
      [{ status: 'ready' }, 'valid values are open, in_progress, done, dropped'],
      [{ project: 'all' }, 'project "all" is reserved'],
      [{ project: 'Not A Slug' }, "a new project's slug"],
      [{ plan: 'x' }, 'unknown parameter "plan"'],
      [{ add_depends_on: [UNKNOWN] }, `task not found: depends_on "${UNKNOWN}"`],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const alice = await worker(house)
      const id = await add(alice, 'A')
      const before = await row(house, id)
      await expect(alice.call('tasks_update', { id, ...args })).rejects.toThrow(message)
      expect(await row(house, id)).toEqual(before)
    })

    test('an unknown task, and one that another holds', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house)]
      const id = await add(alice, 'A')
      await alice.call('tasks_claim', { id })
      await expect(alice.call('tasks_update', { id: UNKNOWN, title: 'B' })).rejects.toThrow(
        `tasks_update: task not found: "${UNKNOWN}"`,
      )
      await expect(bob.call('tasks_update', { id, title: 'B' })).rejects.toThrow(
        `task already claimed: "${id}" is held by ${alice.called}`,
      )
      const nobody = await house.connect()
      await expect(nobody.call('tasks_update', { id, status: 'done' })).rejects.toThrow(
        'task already claimed',
      )
    })

    test('half of a call: a cycle leaves the other fields as they were', async () => {
      await using house = await openHouse()
      const alice = await worker(house)
      const a = await add(alice, 'A')
      const b = await add(alice, 'B', { depends_on: [a] })
      const before = await row(house, a)
      await expect(
        alice.call('tasks_update', { id: a, title: 'New', status: 'done', add_depends_on: [b] }),
      ).rejects.toThrow('dependency would create a cycle')
      expect(await row(house, a)).toEqual(before)
      expect(await row(house, b)).toMatchObject({ waits_for: 1 })
    })

    test('to wait for itself, directly or across projects', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house, 'delta')]
      const a = await add(alice, 'A')
      const b = await add(bob, 'B', { depends_on: [a] })
      const c = await add(alice, 'C', { depends_on: [b] })
      await bob.call('tasks_update', { id: b, status: 'done' })
      await expect(alice.call('tasks_update', { id: a, add_depends_on: [a] })).rejects.toThrow(
        `task "${a}" cannot depend on itself`,
      )
      await expect(alice.call('tasks_update', { id: a, add_depends_on: [c] })).rejects.toThrow(
        'dependency would create a cycle',
      )
    })
  })
})
