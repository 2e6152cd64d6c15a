import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, transitions, UNKNOWN, worker } from './given.ts'

describe('tasks_release', () => {
  test('gives the task back: open, held by nobody, ready for others', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A', { plan: 'launch' })
    const { claim_token } = await alice.call('tasks_claim', { id })

    const released = await alice.call('tasks_release', { id, claim_token })

    expect(released).toEqual({
      id,
      title: 'A',
      status: 'open',
      project: 'atlas',
      plan: 'launch',
      created_by: alice.called,
    })
    expect((await transitions(house, id)).at(-1)).toEqual({
      from: 'in_progress',
      to: 'open',
      released: true,
      plan_slug: 'launch',
    })
    expect(await bob.call('tasks_claim', { id })).not.toHaveProperty('reclaimed')
  })

  test('its holder may give it back after the lease has lapsed', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A')
    await alice.call('tasks_claim', { id, lease_seconds: 1 })
    await house.moveClock('1 hour')
    expect(await alice.call('tasks_release', { id })).toMatchObject({ status: 'open' })
  })

  describe('refuses', () => {
    test('who does not hold it, twice, and a token that has passed on', async () => {
      await using house = await openHouse()
      const [alice, bob] = [await worker(house), await worker(house)]
      const id = await add(alice, 'A')
      const { claim_token } = await alice.call('tasks_claim', { id, lease_seconds: 60 })

      await expect(bob.call('tasks_release', { id })).rejects.toThrow(
        `tasks_release: task already claimed: "${id}" is not held by your session`,
      )
      await house.moveClock('61 seconds')
      await bob.call('tasks_claim', { id })
      await expect(alice.call('tasks_release', { id, claim_token })).rejects.toThrow(
        'task already claimed',
      )
      await bob.call('tasks_release', { id })
      await expect(bob.call('tasks_release', { id })).rejects.toThrow('task already claimed')
    })

    test('without a session, with several, and an unknown task', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      const id = await add(agent, 'A', { project: 'global' })
      await expect(agent.call('tasks_release', { id })).rejects.toThrow('no active session')
      await house.session('', { ambient: true })
      await house.session('', { ambient: true })
      await expect(agent.call('tasks_release', { id })).rejects.toThrow('ambiguous agent')
      await expect(agent.call('tasks_release', { id: UNKNOWN })).rejects.toThrow('task not found')
    })
  })
})
