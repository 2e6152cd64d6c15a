import { describe, expect, test, vi } from 'vitest'
import { gardenAgain, runGardener } from '../../src/gardener/gardener.ts'
import { Pace } from '../../src/kernel/pace.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import { callHook } from '../helpers/call-hook.ts'
import { openHouse } from '../helpers/house.ts'
import { send } from '../helpers/wire.ts'

describe('work that nobody waits for', () => {
  test('rests nine times as long as its step took while somebody is at work, a second at most, and not else', async () => {
    const rested: number[] = []
    const pace = new Pace(async (ms) => rested.push(ms))
    await pace.rest(20)
    expect(rested).toEqual([])
    pace.asked()
    expect(pace.isAsked).toBe(true)
    await pace.rest(20)
    await pace.rest(300)
    expect(rested).toEqual([180, 1_000])
  })

  test('is the look of the timer for clean-ups, and no run that somebody has asked for', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const rested = vi.spyOn(kernel.pace, 'rest')
    await runGardener(kernel, ownerScope())
    expect(rested).not.toHaveBeenCalled()
    await gardenAgain(kernel, ownerScope())
    expect(rested).toHaveBeenCalled()
  })

  test('ends with the service: a look that was begun goes on in the next run', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (const name of ['billing-port', 'port-of-billing']) {
      const said = 'The development server of billing listens on port 8081'
      await agent.call('memory_write', {
        ...{ name, kind: 'reference', description: said, body: said, project: 'global' },
      })
    }
    const { kernel } = house.app
    await gardenAgain(kernel, ownerScope(), () => false)
    expect(await kernel.db.selectFrom('proposals').select('id').execute()).toEqual([])
    await gardenAgain(kernel, ownerScope())
    expect(await kernel.db.selectFrom('proposals').select('id').execute()).toHaveLength(1)
  })
})

test('agents, hooks and the owner are at work, and who asks whether the service stands is not', async () => {
  await using house = await openHouse()
  const asked = vi.spyOn(house.app.kernel.pace, 'asked')
  await send(house.url, { path: '/healthz' })
  expect(asked).not.toHaveBeenCalled()
  const agent = await house.connect()
  expect(asked).toHaveBeenCalled()
  asked.mockClear()
  await agent.call('memory_write', {
    ...{ name: 'tide', kind: 'gotcha', description: 'When it turns', body: 'At six.' },
    project: 'global',
  })
  expect(asked).toHaveBeenCalled()
  asked.mockClear()
  const prompt = { prompt: 'When does the tide turn?' }
  expect(await callHook(house, 'user-prompt-submit', prompt)).toMatchObject({ status: 200 })
  expect(asked).toHaveBeenCalledOnce()
  asked.mockClear()
  const headers = { authorization: `Bearer ${house.key}` }
  await send(house.url, { path: '/console/notes', headers })
  expect(asked).toHaveBeenCalledOnce()
  // Who has no key is nobody.
  asked.mockClear()
  await send(house.url, { path: '/console/notes' })
  expect(asked).not.toHaveBeenCalled()
})

test('somebody waits for an answer while an agent or a hook is answered, and no longer, whatever comes of it', async () => {
  const pace = new Pace()
  const failed = pace.answer(async () => {
    expect(pace.isAnswering).toBe(true)
    throw new Error('in vain')
  })
  await expect(failed).rejects.toThrow('in vain')
  expect(pace.isAnswering).toBe(false)

  await using house = await openHouse()
  const own = house.app.kernel.pace
  const agent = await house.connect()
  const answered = vi.spyOn(own, 'answer')
  await agent.call('tasks_ready', { project: 'global' })
  expect(answered).toHaveBeenCalledOnce()
  const prompt = { prompt: 'When does the tide turn?' }
  expect(await callHook(house, 'user-prompt-submit', prompt)).toMatchObject({ status: 200 })
  expect(answered).toHaveBeenCalledTimes(2)
  expect(own.isAnswering).toBe(false)
})
