import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sessionBriefing, subagentBriefing, type Omission } from '../../src/briefing/briefing.ts'
import { openStore, type Memory } from '../helpers/briefing.ts'
import { placeAs } from '../helpers/places.ts'

const store = await openStore()
afterAll(() => store.close())

beforeEach(async () => {
  await store.clear()
  await store.project('atlas')
})

const ATLAS = placeAs('atlas', 'open')
const CONSTRAINTS = 'Constraints: rules that every agent keeps'
const MEMORIES = 'Memories: memory_read gives the whole of one'

async function omitted(env: Record<string, string> = {}): Promise<Omission[]> {
  const kernel = await store.with(env)
  const { omitted } = await sessionBriefing(kernel, { project: ATLAS, source: 'startup' })
  return [...omitted]
}
const left = (part: string, lines: number, why: Omission['why'], named = false): Omission => ({
  ...{ part, lines, named, why },
})
const some = (count: number, kind: string, over: Partial<Memory> = {}): Promise<void> =>
  store.memories(
    Array.from({ length: count }, (_, n) => ({
      ...{ name: `${kind}-${n}`, project: 'atlas', kind, age: n },
      ...over,
    })),
  )
const LONG = 'x'.repeat(150)

describe('a briefing tells beside its text what that leaves out', () => {
  test('nothing where all of it is said', async () => {
    await some(2, 'constraint')
    await some(3, 'gotcha')
    expect(await omitted()).toEqual([])
    expect((await subagentBriefing(store.kernel, { project: ATLAS })).omitted).toEqual([])
  })

  test('what an option keeps short: rules, conventions, ready tasks, the index by number and by age', async () => {
    await some(6, 'constraint')
    await some(7, 'convention')
    await some(9, 'gotcha')
    for (let n = 0; n < 5; n++) await store.task({ project: 'atlas', title: `T${n}` })
    expect(
      await omitted({
        LOAM_BRIEFING_MEMORY_MAX_ITEMS: '2',
        LOAM_BRIEFING_MEMORY_MAX_AGE_DAYS: '5',
        LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '6000',
      }),
    ).toEqual([
      left(CONSTRAINTS, 2, 'constraint_max_full', true),
      left('Conventions of this project', 3, 'convention_max_full'),
      left('Ready tasks (5)', 2, 'ready_tasks_shown'),
      left(MEMORIES, 3, 'memory_max_items'),
      left(MEMORIES, 4, 'memory_max_age_days'),
    ])
    const { omitted: ofSubagent } = await subagentBriefing(store.kernel, { project: ATLAS })
    expect(ofSubagent).toEqual([left(CONSTRAINTS, 2, 'constraint_max_full', true)])
  })

  test('stages that are done, or of which nobody said for long how they stand', async () => {
    await some(1, 'stage', { name: 'open', status: 'open' })
    await some(1, 'stage', { name: 'done', status: 'done' })
    await some(1, 'stage', { name: 'old', age: 30 })
    const part = 'Stages: states of the world that hold now'
    expect(await omitted()).toEqual([left(part, 1 + 1, 'stage_unknown_max_age_days')])
  })

  test('what found no room, in whichever part', async () => {
    await store.project('kin')
    await store.families({ house: ['atlas', 'kin'] })
    await some(2, 'constraint', { description: LONG })
    await some(1, 'stage', { status: 'open', description: LONG })
    await some(3, 'convention', { description: LONG })
    await some(30, 'gotcha', { description: LONG })
    await store.memories([{ name: 'theirs', project: 'kin', description: LONG }])
    for (const project of ['atlas', 'kin']) {
      await store.session({ project, name: `cc/${project}`, findings: LONG })
    }
    await store.task({ project: 'atlas', title: 'T' })
    await store.note({ project: 'atlas', title: 'P', tags: ['cc-plan', 'plan-status:draft'] })
    const found = await omitted({
      LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '150',
      LOAM_BRIEFING_INCLUDE_SIBLING_MEMORIES: 'true',
      LOAM_BRIEFING_HARD_CAP_MULTIPLIER: '10',
    })
    expect(found).toEqual([
      left('Stages: states of the world that hold now', 1, 'room', true),
      left('Plans', 1, 'room'),
      left('Conventions of this project', 3, 'room'),
      left('Recent findings of other sessions', 1, 'room'),
      left('Ready tasks (1)', 1, 'room'),
      left(MEMORIES, 29, 'room'),
      left('Findings in projects of the same family', 1, 'room'),
      left('Memories of projects of the same family', 1, 'room'),
    ])
  })

  test('the lines behind the hard cap', async () => {
    await some(40, 'constraint', { description: LONG })
    const env = { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '200', LOAM_BRIEFING_CONSTRAINT_MAX_FULL: '0' }
    const kernel = await store.with(env)
    const { text, omitted } = await sessionBriefing(kernel, { project: ATLAS, source: 'startup' })
    const said = text.split('\n').filter((line) => line.startsWith('- ')).length
    const [end] = omitted
    expect(end).toMatchObject({ part: '', why: 'hard_cap_multiplier' })
    // The closing line is behind it too, and the line that it goes through is not whole.
    expect(40 + 1 - said).toBeLessThanOrEqual(end!.lines)
    expect(end!.lines).toBeLessThanOrEqual(40 + 2 - said)
  })
})
