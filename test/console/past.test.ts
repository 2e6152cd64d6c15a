import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { ownerOf } from './owner.ts'

describe('a page behind the last row of a list', () => {
  test('says so, and leads to the beginning of the list as it is narrowed', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    await research(house)
    const agent = await house.inside('atlas')
    await agent.call('tasks_add', { title: 'Chart the reef' })
    await agent.call('tasks_add', { title: 'Sound the reef', plan: 'reef' })
    await tried(agent, 'Lead line')
    for (const [path, narrowed] of [
      ['/console/tasks', 'project=atlas'],
      ['/console/trials', 'project=atlas'],
      ['/console/labs', 'project=atlas'],
      ['/console/sessions', 'project=atlas'],
      ['/console/plans', 'project=atlas'],
      ['/console/projects', 'q=atl'],
      ['/console/projects/atlas', 'tab=tasks'],
      ['/console/projects/atlas', 'tab=sessions'],
    ]) {
      const first = await owner.get(`${path}?${narrowed}`)
      expect(first.text, path).not.toContain('Nothing on page')
      const { status, text } = await owner.get(`${path}?${narrowed}&page=3`)
      expect(status, path).toBe(200)
      expect(text, path).toContain('Nothing on page 3')
      for (const wrong of ['Nothing matches', 'yet</p>', 'No plan moved', 'is a step of a plan'])
        expect(text, path).not.toContain(wrong)
      expect(text, path).toContain(`href="${path}?${narrowed}">From its beginning`)
    }
    const { body } = await owner.json('/console/labs?page=3')
    expect(body).toMatchObject({ labs: [], count: 1, trials: 1 })
  })
})
