import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'

/** One call of a mix; `fresh` passes the hash that was read before the mix began. */
type Act =
  | { tool: 'notes_append' }
  | { tool: 'notes_edit'; slot: number; fresh: boolean }
  | { tool: 'notes_update'; fresh: boolean }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ tool: fc.constant('notes_append' as const) }),
  fc.record({
    tool: fc.constant('notes_edit' as const),
    slot: fc.nat(2),
    fresh: fc.boolean(),
  }),
  fc.record({ tool: fc.constant('notes_update' as const), fresh: fc.boolean() }),
)

const SLOTS = 'slot-0 slot-1 slot-2\n'
const timeless = (body: string): string => body.replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d -- /gm, '')

interface World {
  body: string
  /** Whether anything has been written since the hash was read. */
  moved: boolean
}

/** What the call does to the world when it comes next; undefined: it is refused. */
function apply(act: Act, word: string, { body, moved }: World): World | undefined {
  if ('fresh' in act && act.fresh && moved) return undefined
  if (act.tool === 'notes_update') return { body: `${word} ${SLOTS}`, moved: true }
  if (act.tool === 'notes_append') {
    return { body: `${body.replace(/[\r\n]+$/, '')}\n\n${word}\n`, moved: true }
  }
  const slot = `slot-${act.slot}`
  if (body.split(slot).length !== 2) return undefined
  return { body: body.replace(slot, word), moved: true }
}

/** Whether some order of the calls explains which were refused and what the note says in the end. */
function explained(
  acts: readonly { act: Act; word: string; done: boolean }[],
  world: World,
  end: string,
): boolean {
  if (acts.length === 0) return world.body === end
  return acts.some(({ act, word, done }, n) => {
    const next = apply(act, word, world)
    if (done !== (next !== undefined)) return false
    return explained(acts.toSpliced(n, 1), next ?? world, end)
  })
}

async function call(agent: Agent, id: string, hash: string, act: Act, word: string) {
  const expected = 'fresh' in act && act.fresh ? { expect_hash: hash } : {}
  const args = {
    notes_append: { body: word },
    notes_edit: {
      edits: [{ old_string: `slot-${'slot' in act ? act.slot : 0}`, new_string: word }],
      ...expected,
    },
    notes_update: { body: `${word} ${SLOTS}`, ...expected },
  }[act.tool]
  const { isError, content } = await agent.raw(act.tool, { id, ...args })
  const [part] = content
  if (isError) expect(part?.type === 'text' && part.text).not.toContain('internal')
  return isError !== true
}

describe('concurrent writes of one note', () => {
  test('every mix of appends, edits and updates has a serial explanation', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    let serial = 0

    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 6 }), async (mix) => {
        const title = `Mix ${++serial}`
        const draft = { title, body: SLOTS, project: 'atlas' }
        const { id } = await agent.call('notes_create', draft)
        const { content_hash } = await agent.call('notes_read', { id })

        const acts = await Promise.all(
          mix.map(async (act, n) => {
            const word = `${'abcdef'[n]}-word`
            return { act, word, done: await call(agent, id, content_hash, act, word) }
          }),
        )

        const { body } = await agent.call('notes_read', { id })
        const world = { body: SLOTS, moved: false }
        expect(explained(acts, world, timeless(body)), JSON.stringify({ acts, body })).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})
