import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

/** What no agent sends by mistake, and what it is told: the bound and the count, nothing of the content. */
const CASES: [tool: string, sent: Record<string, unknown>, reason: string][] = [
  [
    'notes_create',
    { title: 'T', body: 'b', tags: many(100_000) },
    'notes_create: invalid tags: must have at most 200 items, it has 100000',
  ],
  [
    'notes_create',
    { title: 'T', body: 'b', tags: many(100_000).join(',') },
    'notes_create: invalid tags: must have at most 200 items, it has 100000',
  ],
  [
    'notes_create',
    { title: 'T', body: 'b', tags: ['x'.repeat(101)] },
    'notes_create: invalid tags[0]: must have at most 100 characters, it has 101',
  ],
  [
    'notes_create',
    { title: 'x'.repeat(1_000_000), body: 'b' },
    'notes_create: invalid title: must have at most 500 characters, it has 1000000',
  ],
  [
    'recall',
    { query: 'word '.repeat(100_000).trim() },
    'recall: invalid query: must have at most 20000 characters, it has 499999',
  ],
  [
    'notes_edit',
    { id: 'x', edits: many(501).map((old_string) => ({ old_string, new_string: '' })) },
    'notes_edit: invalid edits: must have at most 500 items, it has 501',
  ],
  [
    'trial_record',
    { title: 'T', lab: 'L', metrics: Object.fromEntries(many(501).map((name) => [name, 1])) },
    'trial_record: invalid metrics: must have at most 500 properties, it has 501',
  ],
  [
    'trial_record',
    { title: 'T', lab: 'L', metrics: { log: 'x'.repeat(70_000) } },
    'trial_record: invalid metrics: must have at most 65536 bytes as JSON, it has 70010',
  ],
]

function many(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `n${i}`)
}

describe('a call that brings more than its tool takes', () => {
  test('is refused with the bound and the count of what it sent', async () => {
    await using house = await openHouse({ env: { LOAM_FEATURES_RESEARCH: 'true' } })
    const agent = await house.connect()
    for (const [tool, sent, reason] of CASES) {
      const said = await agent.call(tool, sent).catch(String)
      expect(said).toBe(`Error: ${reason}`)
    }
  })
})
