import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, called, row, transitions, UNKNOWN, worker } from './given.ts'

describe('tasks_claim', () => {
  test('takes a ready task for the session, for a quarter of an hour, with a token', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'Move the cache')

    const claimed = await alice.call('tasks_claim', { id })

    expect(claimed).toEqual({
      id,
      title: 'Move the cache',
      status: 'in_progress',
      project: 'atlas',
      created_by: alice.called,
      claimed_by: alice.called,
      lease_expires_at: expect.stringMatching(/Z$/),
      claim_token: expect.stringMatching(/^[0-9A-Z]{26}$/),
    })
    const lease = Date.parse(claimed['lease_expires_at']) - Date.now()
    expect(Math.abs(lease - 900_000)).toBeLessThan(60_000)
    expect((await transitions(house, id)).slice(1)).toEqual([
      {
        from: 'open',
        to: 'in_progress',
        claimed_by: alice.session,
        lease_expires_at: claimed['lease_expires_at'],
      },
    ])
  })

  test('lease_seconds is cut to whole seconds', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    await alice.call('tasks_claim', { id, lease_seconds: '5.9' })
    const { lease_expires_at: lease, updated_at } = await row(house, id)
    expect(Math.round((+lease! - +updated_at) / 1000)).toBe(5)
  })

  test('for its holder it is a heartbeat: the lease begins anew and the token stays', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    const first = await alice.call('tasks_claim', { id, lease_seconds: 60, paths: ['src/a'] })

    const again = await alice.call('tasks_claim', {
      id,
      lease_seconds: 3_600,
      claim_token: first['claim_token'],
    })

    expect(again).toMatchObject({
      renewed: true,
      claim_token: first['claim_token'],
      paths: ['src/a'],
    })
    expect(Date.parse(again['lease_expires_at'])).toBeGreaterThan(
      Date.parse(first['lease_expires_at']) + 3_000_000,
    )
    expect((await transitions(house, id)).at(-1)).toEqual({
      from: 'in_progress',
      to: 'in_progress',
      claimed_by: alice.session,
      lease_expires_at: again['lease_expires_at'],
      renewed: true,
    })
  })

  test('a lapsed lease is taken over, and whose it was is told', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    const { claim_token } = await alice.call('tasks_claim', { id, lease_seconds: 60 })
    await house.moveClock('61 seconds')

    const taken = await bob.call('tasks_claim', { id })

    expect(taken).toMatchObject({
      claimed_by: bob.called,
      reclaimed: true,
      prior_holder: alice.called,
    })
    expect(taken['claim_token']).not.toBe(claim_token)
    expect((await transitions(house, id)).at(-1)).toEqual({
      from: 'in_progress',
      to: 'in_progress',
      claimed_by: bob.session,
      lease_expires_at: taken['lease_expires_at'],
      reclaimed: true,
      prior_holder: alice.session,
    })
  })

  test('after its own lease has lapsed, its holder takes it anew under another token', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    const first = await alice.call('tasks_claim', { id, lease_seconds: 60 })
    await house.moveClock('2 minutes')

    const again = await alice.call('tasks_claim', { id })

    expect(again['claim_token']).not.toBe(first['claim_token'])
    expect(again).not.toHaveProperty('reclaimed')
    expect(again).not.toHaveProperty('renewed')
  })

  test('what was begun without a claim is free to be claimed', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    await alice.call('tasks_update', { id, status: 'in_progress' })

    const claimed = await bob.call('tasks_claim', { id })

    expect(claimed).toMatchObject({ claimed_by: bob.called })
    expect(claimed).not.toHaveProperty('reclaimed')
  })

  test('one session may hold many tasks, of any project, and stays where it is', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    const [here, there] = [await add(alice, 'A'), await add(bob, 'B')]
    await alice.call('tasks_claim', { id: here })
    await alice.call('tasks_claim', { id: there })
    expect((await alice.call('tasks_ready'))['project']).toBe('atlas')
  })

  test('the only agent that a hook made known is meant without a word', async () => {
    await using house = await openHouse()
    const session = await house.session('', { ambient: true })
    const agent = await house.connect()
    const id = await add(agent, 'A')
    expect(await agent.call('tasks_claim', { id })).toMatchObject({
      claimed_by: await called(house, session),
    })
  })

  test('a session that is named counts as bound', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    const session = await house.session('atlas')
    const agent = await house.connect()
    expect(await agent.call('tasks_claim', { id, session_id: session })).toMatchObject({
      claimed_by: await called(house, session),
    })
  })

  test('from outside a confidential project nothing there is claimed, and none of it is known', async () => {
    await using house = await openHouse()
    const insider = await worker(house, 'ledger', 'confidential')
    const id = await add(insider, 'secret title', { body: 'secret body' })
    const alice = await worker(house)

    for (const tool of ['tasks_claim', 'tasks_release']) {
      await expect(alice.call(tool, { id })).rejects.toThrow(`${tool}: task not found: "${id}"`)
    }
    expect(await row(house, id)).toMatchObject({ status: 'open', claimed_by: '' })
  })

  describe('refuses', () => {
    test('a task that another holds, and says for how long', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house)]
      const id = await add(alice, 'A')
      const { lease_expires_at: until } = await alice.call('tasks_claim', { id })

      await expect(bob.call('tasks_claim', { id })).rejects.toThrow(
        `tasks_claim: task already claimed: "${id}" is held by ${alice.called} until ${until}`,
      )
    })

    test('a blocked task, naming what it waits for, and from outside its fence not even itself', async () => {
      await using house = await openHouse()
      const insider = await worker(house, 'ledger', 'confidential')
      const alice = await worker(house)
      const [open, hidden] = [await add(alice, 'B'), await add(insider, 'C')]
      // Only from behind the fence can a task wait for one that lies there.
      const id = await add(insider, 'A', { depends_on: [open, hidden] })

      await expect(insider.call('tasks_claim', { id })).rejects.toThrow(
        `task blocked: "${id}" waits on ${open} (open), ${hidden} (open)`,
      )
      await expect(alice.call('tasks_claim', { id })).rejects.toThrow(`task not found: "${id}"`)
    })

    test('a blocked task that waits for many, naming five of them', async () => {
      await using house = await openHouse()
      const alice = await worker(house)
      const all: string[] = []
      for (let n = 0; n < 7; n++) all.push(await add(alice, `B${n}`))
      const id = await add(alice, 'A', { depends_on: all })
      await expect(alice.call('tasks_claim', { id })).rejects.toThrow('and 2 more')
    })

    test.each(['done', 'dropped'])('a task that is %s', async (status) => {
      await using house = await openHouse()
      const alice = await worker(house)
      const id = await add(alice, 'A')
      await alice.call('tasks_update', { id, status })
      await expect(alice.call('tasks_claim', { id })).rejects.toThrow(
        `task closed: "${id}" is ${status}`,
      )
    })

    test('a claim_token that is not the current one, whoever holds the task', async () => {
      await using house = await openHouse()
      const alice = await worker(house)
      const id = await add(alice, 'A')
      await expect(alice.call('tasks_claim', { id, claim_token: UNKNOWN })).rejects.toThrow(
        'task already claimed',
      )
      await alice.call('tasks_claim', { id })
      await expect(alice.call('tasks_claim', { id, claim_token: UNKNOWN })).rejects.toThrow(
        'task already claimed',
      )
    })

    test('who has no session, and who could be one of several', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      const id = await add(agent, 'A', { project: 'global' })
      await expect(agent.call('tasks_claim', { id })).rejects.toThrow(
        'no active session to claim as',
      )
      await house.session('', { ambient: true })
      await house.session('', { ambient: true })
      await expect(agent.call('tasks_claim', { id })).rejects.toThrow(
        'tasks_claim: ambiguous agent',
      )
      await expect(agent.call('tasks_claim', { id: UNKNOWN })).rejects.toThrow('task not found')
      await expect(agent.call('tasks_claim', { id, session: 'nobody' })).rejects.toThrow(
        'session "nobody" not found',
      )
    })

    test.each<[Record<string, unknown>, string]>([
      [{}, 'missing required: "id"'],
      [{ id: UNKNOWN }, `tasks_claim: task not found: "${UNKNOWN}"`],
      [{ id: UNKNOWN, lease_seconds: 0.5 }, 'invalid lease_seconds: must be >= 1'],
      [{ id: UNKNOWN, lease_seconds: 86_401 }, 'invalid lease_seconds: must be <= 86400'],
      [{ id: UNKNOWN, paths: ['../x'] }, 'invalid paths "../x": it leaves the repository'],
      [{ id: UNKNOWN, paths: ['!x'] }, 'invalid paths "!x"'],
      [{ id: UNKNOWN, paths: ['/'] }, 'it names nothing'],
      [{ id: UNKNOWN, paths: Array.from({ length: 21 }, (_, n) => `p${n}`) }, 'paths: at most 20'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const alice = await worker(house)
      await expect(alice.call('tasks_claim', args)).rejects.toThrow(message)
    })

    test('from behind a fence, and in a sealed project as if there were no such task', async () => {
      await using house = await openHouse()
      const insider = await worker(house, 'crypt', 'sealed')
      const hidden = await add(insider, 'A')
      const alice = await worker(house)
      const open = await add(alice, 'B')
      const said = (id: string): Promise<string> =>
        alice.call('tasks_claim', { id }).then(String, String)

      expect((await said(hidden)).replace(hidden, UNKNOWN)).toBe(await said(UNKNOWN))
      await expect(insider.call('tasks_claim', { id: open })).rejects.toThrow('task not found')
      const clerk = await worker(house, 'ledger', 'confidential')
      await expect(clerk.call('tasks_claim', { id: open })).rejects.toThrow(
        'can write nowhere else',
      )
    })
  })

  describe('with paths', () => {
    test('tells of live claims that may change the same files, and of no other', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house)]
      const other = await worker(house, 'delta')
      const [mine, near, far, lapsed] = [
        await add(bob, 'mine'),
        await add(alice, 'near'),
        await add(alice, 'far'),
        await add(alice, 'lapsed'),
      ]
      const elsewhere = await add(other, 'elsewhere')
      await alice.call('tasks_claim', { id: lapsed, paths: ['src/**'], lease_seconds: 1 })
      await house.moveClock('2 seconds')
      await alice.call('tasks_claim', { id: near, paths: ['src/tasks', 'docs/*.md'] })
      await alice.call('tasks_claim', { id: far, paths: ['test/**'] })
      await other.call('tasks_claim', { id: elsewhere, paths: ['src/**'] })

      const claimed = await bob.call('tasks_claim', {
        id: mine,
        paths: 'lib, src/{tasks,notes}/*.ts',
      })

      expect(claimed).toMatchObject({
        paths: ['lib', 'src/{tasks,notes}/*.ts'],
        overlaps: [{ id: near, title: 'near', claimed_by: alice.called, paths: ['src/tasks'] }],
      })
      expect(claimed['overlaps']).toHaveLength(1)
    })

    test('that take too long to compare count as overlapping, and hold nobody up', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house)]
      const [hers, his] = [await add(alice, 'hers'), await add(bob, 'his')]
      const paths = (end: string) =>
        Array.from({ length: 20 }, (_, i) => `${'{a,b}'.repeat(6)}${'*x'.repeat(80)}${i}${end}`)
      await alice.call('tasks_claim', { id: hers, paths: paths('y') })

      const claimed = await bob.call('tasks_claim', { id: his, paths: paths('z') })

      expect(claimed['overlaps']).toMatchObject([{ id: hers, paths: paths('y') }])
    })

    test('they end with the claim', async () => {
      await using house = await openHouse()
      const alice = await worker(house)
      const id = await add(alice, 'A')
      await alice.call('tasks_claim', { id, paths: ['src'] })
      expect(await alice.call('tasks_release', { id })).not.toHaveProperty('paths')
      expect(await alice.call('tasks_claim', { id })).not.toHaveProperty('paths')
    })
  })
})
