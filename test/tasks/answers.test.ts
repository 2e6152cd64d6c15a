import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { add, called, worker } from './given.ts'

const BODY = `\n\n  Move   it first.\n\n${'Then the rest, step by step. '.repeat(40)}`
const LINE = { body: 'Move it first.', body_cut: true }

describe('an answer about a task', () => {
  test('shows a line of its body, and all of it to who asks', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const added = await alice.call('tasks_add', { title: 'A', body: BODY })
    const { id } = added
    expect(added).toMatchObject(LINE)

    expect((await alice.call('tasks_ready'))['ready']).toMatchObject([LINE])
    expect((await alice.call('tasks_list'))['tasks']).toMatchObject([LINE])
    expect(await alice.call('tasks_claim', { id })).toMatchObject(LINE)
    expect(await alice.call('tasks_update', { id, title: 'B' })).toMatchObject(LINE)
    expect(await alice.call('tasks_release', { id })).toMatchObject(LINE)

    const whole = { body: BODY.slice(0, 1_000) }
    const lists = [
      (await alice.call('tasks_ready', { bodies: true }))['ready'],
      (await alice.call('tasks_list', { bodies: true }))['tasks'],
    ]
    for (const list of lists) expect(list).toMatchObject([{ ...whole, body_cut: true }])
    const claimed = await alice.call('tasks_claim', { id, bodies: true })
    const { tasks } = await alice.call('tasks_list', { id })
    for (const told of [claimed, tasks[0]]) {
      expect(told['body']).toBe(BODY)
      expect(told).not.toHaveProperty('body_cut')
    }
  })

  test('marks no body as cut that is a line, and has no more than a line of a long one', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const short = await alice.call('tasks_add', { title: 'A', body: 'One line.\n' })
    expect(short['body']).toBe('One line.')
    expect(short).not.toHaveProperty('body_cut')

    const long = await alice.call('tasks_add', { title: 'B', body: 'x'.repeat(50_000) })
    expect(long['body'].length).toBeLessThanOrEqual(160)
    expect(long['body_cut']).toBe(true)
  })

  test('names a holder as it names a maker, and as a refusal does', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    const claimed = await alice.call('tasks_claim', { id, lease_seconds: 60, paths: ['src'] })
    expect(claimed['claimed_by']).toBe(claimed['created_by'])
    expect((await bob.call('tasks_list'))['tasks']).toMatchObject([{ claimed_by: alice.called }])
    const beside = await bob.call('tasks_claim', { id: await add(bob, 'B'), paths: ['src/a'] })
    expect(beside['overlaps']).toMatchObject([{ claimed_by: alice.called }])
    await expect(bob.call('tasks_claim', { id })).rejects.toThrow(`held by ${alice.called} until`)

    await house.moveClock('61 seconds')
    const { lapsed } = await bob.call('tasks_ready')
    expect(lapsed).toMatchObject([{ claimed_by: alice.called }])
    expect(await bob.call('tasks_claim', { id })).toMatchObject({
      claimed_by: bob.called,
      prior_holder: alice.called,
    })
  })

  test('names no holder that has gone behind a fence', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const id = await add(alice, 'A')
    await alice.call('tasks_claim', { id })
    await (await house.connect()).call('project_create', { name: 'Crypt', isolation: 'sealed' })
    const { db } = house.app.database
    await db
      .updateTable('sessions')
      .set({ project: 'crypt' })
      .where('id', '=', alice.session)
      .execute()

    const { tasks } = await bob.call('tasks_list')
    expect(tasks).toMatchObject([{ claimed_by: alice.session }])
    await expect(bob.call('tasks_claim', { id })).rejects.not.toThrow(
      await called(house, alice.session),
    )
  })
})
