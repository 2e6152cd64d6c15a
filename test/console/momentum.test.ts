import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { moments, switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'
import { ownerOf } from './owner.ts'

const json = async (house: House, path: string): Promise<any> =>
  (await ownerOf(house).json(path)).body

describe('moments', () => {
  test('are told among what happened last, and no more while momentum is off', async () => {
    await using house = await openHouse()
    await house.session('atlas')
    await switchOn(house, 'momentum')
    await moveStep(house, await addStep(house, 'p'), 'done')
    await moments(house, 'plan.shipped')
    const [milestone] = await moments(house, 'milestone.reached')
    const told = async (): Promise<string[]> => {
      const { recent } = await json(house, '/console/')
      const { wire } = await json(house, '/console/now')
      return [...recent, ...wire].map(({ kind }: any) => kind)
    }
    expect(await told()).toEqual(expect.arrayContaining(['plan.shipped', 'milestone.reached']))
    const page = await ownerOf(house).get('/console/')
    expect(page.text).toContain('the first shipped plan of atlas: p')
    expect(page.text).toContain('class="glyph glyph--moment"')

    await switchOff(house, 'momentum')
    const kinds = await told()
    expect(kinds).not.toContain('plan.shipped')
    expect(kinds).not.toContain('milestone.reached')
    expect(kinds).toContain('task.transition')
    // What was minted stays in the log.
    const { event } = await json(house, `/console/events/${milestone!.id}`)
    expect(event.summary).toBe('the first shipped plan of atlas: p')
  })
})
