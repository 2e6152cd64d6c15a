import { describe, expect, test } from 'vitest'
import { ownerOf } from './owner.ts'
import { openHouse } from '../helpers/house.ts'
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
    expect(free.headers.location).toMatch(/^\/console\/now\?error=task.*not\+claimed/)
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
