import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TaskStatus } from '../../src/tasks/tasks.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { moments, switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const momentum = (house: House, on: boolean) =>
  on ? switchOn(house, 'momentum') : switchOff(house, 'momentum')

const shipped = async (house: House) =>
  (await moments(house, 'plan.shipped')).map(({ project, item_id, payload }) => ({
    project,
    item_id,
    ...payload,
  }))

describe('a plan is shipped', () => {
  test('when its last step is closed, once ever', async () => {
    await using house = await openHouse()
    await momentum(house, true)
    const session = await house.session('atlas')
    const [one, two] = [await addStep(house, 'launch'), await addStep(house, 'launch')]
    await moveStep(house, one, 'done', session)
    expect(await shipped(house)).toEqual([])
    await moveStep(house, two, 'dropped', session)
    const [event] = await moments(house, 'plan.shipped')
    expect(event).toMatchObject({
      project: 'atlas',
      item_id: 'launch',
      session_id: session,
      payload: { plan: 'launch', project: 'atlas', steps: 2 },
    })

    await moveStep(house, two, 'open')
    await moveStep(house, two, 'done')
    await moveStep(house, await addStep(house, 'launch'), 'done')
    expect(await shipped(house)).toHaveLength(1)
  })

  test('only when something of it was done', async () => {
    await using house = await openHouse()
    await momentum(house, true)
    await moveStep(house, await addStep(house, 'p'), 'dropped')
    await moveStep(house, await addStep(house, 'p'), 'dropped')
    expect(await shipped(house)).toEqual([])
  })

  test('in each project that has one of its name, the global scope included', async () => {
    await using house = await openHouse()
    await momentum(house, true)
    for (const project of ['atlas', 'reef', '']) {
      await moveStep(house, await addStep(house, 'p', { project }), 'done')
    }
    expect(await shipped(house)).toEqual(
      ['atlas', 'reef', ''].map((project) => ({ project, item_id: 'p', plan: 'p', steps: 1 })),
    )
  })

  test('once when its last two steps are closed at the same time', async () => {
    await using house = await openHouse()
    await momentum(house, true)
    for (let round = 0; round < 5; round++) {
      const plan = `p${round}`
      const steps = await Promise.all(Array.from({ length: 4 }, () => addStep(house, plan)))
      await Promise.all(steps.map((step) => moveStep(house, step, 'done')))
    }
    expect((await shipped(house)).map(({ item_id }) => item_id).sort()).toEqual(
      Array.from({ length: 5 }, (_, round) => `p${round}`),
    )
  })

  test('never while momentum is off, nor afterwards for what was closed then', async () => {
    await using house = await openHouse()
    const step = await addStep(house, 'p')
    await moveStep(house, step, 'done')
    await momentum(house, true)
    expect(await shipped(house)).toEqual([])
    await momentum(house, false)
    await moveStep(house, await addStep(house, 'p'), 'done')
    expect(await shipped(house)).toEqual([])
  })

  test('exactly when a random history says so', async () => {
    await using house = await openHouse()
    let run = 0
    const change = fc.record({
      step: fc.nat(2),
      to: fc.constantFrom<TaskStatus>('open', 'in_progress', 'done', 'dropped'),
      on: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const plan = `plan-${run++}`
        const steps = [
          await addStep(house, plan),
          await addStep(house, plan),
          await addStep(house, plan),
        ]
        const states: TaskStatus[] = ['open', 'open', 'open']
        let expected = 0
        for (const { step, to, on } of changes) {
          if (states[step] === to) continue
          await momentum(house, on)
          await moveStep(house, steps[step]!, to)
          states[step] = to
          const over = states.every((state) => state === 'done' || state === 'dropped')
          const closing = to === 'done' || to === 'dropped'
          if (on && closing && over && states.includes('done')) expected = 1
        }
        const events = (await shipped(house)).filter(({ item_id }) => item_id === plan)
        expect(events).toHaveLength(expected)
      }),
      { numRuns: 15 },
    )
  })
})

describe('by the tools and hooks that agents have', () => {
  const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }

  /** A plan made and agreed to in a client's plan mode; answers the task that tracks it. */
  async function agreed(house: House): Promise<string> {
    for (const [name, file] of [
      ['session-start', 'session-start'],
      ['post-tool-use', 'post-tool-use.write'],
      ['post-tool-use', 'post-tool-use.exit-plan-mode'],
    ] as const) {
      await callHook(house, name, fixture(`claude-code/${file}`, REPO))
    }
    const agent = await house.inside('orders')
    const { ready } = await agent.call('tasks_ready', { plan: PLAN })
    return ready[0].id
  }
  const PLAN = 'retry-failed-orders'

  test.each([
    { on: true, is: 'shipped' },
    { on: false, is: 'not shipped' },
  ])('a captured plan whose tracking task is done is $is: momentum $on', async ({ on }) => {
    await using house = await openHouse()
    await momentum(house, on)
    const tracking = await agreed(house)
    const agent = await house.inside('orders')
    const step = (await agent.call('tasks_add', { title: 'Queue them', plan: PLAN }))['id']

    await agent.call('tasks_claim', { id: step })
    await agent.call('tasks_update', { id: step, status: 'dropped' })
    expect(await shipped(house)).toEqual([])
    const { claim_token } = await agent.call('tasks_claim', { id: tracking })
    expect(await shipped(house)).toEqual([])
    await agent.call('tasks_update', { id: tracking, status: 'done', claim_token })

    const event = { project: 'orders', item_id: PLAN, plan: PLAN, steps: 2 }
    expect(await shipped(house)).toEqual(on ? [event] : [])
    const [told] = await house.events('plan.shipped')
    const moves = await house.events('task.transition')
    if (on) expect(told!.session_id).toBe(moves.at(-1)!.session_id)

    await agent.call('tasks_update', { id: tracking, status: 'open' })
    await momentum(house, !on)
    await agent.call('tasks_update', { id: tracking, status: 'done' })
    // Once ever: for the one it was before, for the other it is now.
    expect(await shipped(house)).toEqual([event])
  })
})
