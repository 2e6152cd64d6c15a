import { describe, expect, test } from 'vitest'
import { toolProblem } from '../../src/cli/operator/doctor/tools.ts'
import { catalog } from '../../src/mcp/catalog.ts'

const known = [
  { name: 'recall' },
  { name: 'notes_read' },
  { name: 'trial_record', feature: 'research' as const },
  { name: 'trial_query', feature: 'research' as const },
]
const features = { research: false, momentum: false, gamification: false }
const always = ['recall', 'notes_read']
const all = known.map(({ name }) => name)

describe('the tools of a service', () => {
  test.each([
    ['research off, and hidden', always, { tools: all, features }],
    ['research on, and shown', all, { tools: all, features: { ...features, research: true } }],
    ['nobody tells of features, hidden', always, undefined],
    ['nobody tells of features, shown', all, undefined],
  ])('are well: %s', (_, offered, registered) => {
    expect(toolProblem(offered, registered, known)).toBeNull()
  })

  test.each([
    [
      'one is not registered',
      always,
      { tools: always, features },
      'not registered: trial_record, trial_query',
    ],
    [
      'one more is registered',
      always,
      { tools: [...all, 'x'], features },
      'not of this version: x',
    ],
    ['one more is offered', [...always, 'x'], undefined, 'not of this version: x'],
    ['one is not offered', ['recall'], { tools: all, features }, 'not offered: notes_read'],
    ['half of a feature', [...always, 'trial_query'], undefined, 'not offered: trial_record'],
    [
      'a feature that is off',
      all,
      { tools: all, features },
      'offered, though their feature is off: trial_record, trial_query',
    ],
    [
      'a feature that is on',
      always,
      { tools: all, features: { ...features, research: true } },
      'not offered: trial_record, trial_query',
    ],
  ])('are not: %s', (_, offered, registered, problem) => {
    expect(toolProblem(offered, registered, known)).toBe(problem)
  })

  test('are held to the catalogue', () => {
    const names = catalog.filter(({ feature }) => !feature).map(({ name }) => name)
    expect(toolProblem(names, undefined)).toBeNull()
    expect(toolProblem(names.slice(1), undefined)).toBe(`not offered: ${names[0]}`)
  })
})
