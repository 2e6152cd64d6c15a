/** Random histories of one project, compared after every step with a model that is simpler. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NOBODY, type Kernel } from '../../src/kernel/kernel.ts'
import { archive, supersede, unarchive, unsupersede } from '../../src/memories/memories.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { remember, rowOf } from './given.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
type Name = (typeof NAMES)[number]
const name = fc.constantFrom(...NAMES)
const word = fc.constantFrom('one\n', 'two', 'three\n\n', 'é😀', '\r\n', ' ')

type Step =
  | { act: 'supersede'; on: Name; by: Name }
  | { act: 'archive' | 'unarchive' | 'unsupersede' | 'delete'; on: Name }
  | { act: 'write' | 'append'; on: Name; text: string }
  | { act: 'edit'; on: Name; from: string; to: string; all: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('supersede' as const), on: name, by: name }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom('archive' as const, 'unarchive', 'unsupersede', 'delete'),
      on: name,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom('write' as const, 'append'),
      on: name,
      text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `x${words.join('')}`),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('edit' as const),
      on: name,
      from: fc.constantFrom('x', 'one', '😀', 'absent'),
      to: fc.constantFrom('', 'y', 'one'),
      all: fc.boolean(),
    }),
  },
)

/** What a memory is, as far as its history goes. `body` is without the lines of its retirements. */
interface Modelled {
  id: string
  body: string
  state: 'active' | 'archived' | 'superseded'
  by?: string
}

/** Whether the step may happen, and what it makes of the model when it does. */
function expected(model: Map<Name, Modelled>, step: Step): (() => void) | undefined {
  const it = model.get(step.on)
  const active = it?.state === 'active'
  switch (step.act) {
    case 'supersede': {
      const by = model.get(step.by)
      if (!it || !by || it === by) return undefined
      if (it.state === 'superseded' && it.by === by.id) return () => {}
      if (!active || by.state !== 'active') return undefined
      return () => Object.assign(it, { state: 'superseded', by: by.id })
    }
    case 'archive':
      return it && active ? () => Object.assign(it, { state: 'archived' }) : undefined
    case 'unarchive':
      return it?.state === 'archived' ? () => Object.assign(it, { state: 'active' }) : undefined
    case 'unsupersede':
      return it?.state === 'superseded'
        ? () => Object.assign(it, { state: 'active', by: undefined })
        : undefined
    case 'delete':
      return it ? () => model.delete(step.on) : undefined
    case 'write':
      if (it && !active) return undefined
      return () => {
        if (it) it.body = step.text
        else model.set(step.on, { id: '', body: step.text, state: 'active' })
      }
    case 'append':
      if (!it || !active) return undefined
      return () => {
        const old = it.body.replace(/[\r\n]+$/, '')
        it.body = `${old && `${old}\n`}${step.text}\n`
      }
    case 'edit': {
      if (!it || !active || step.from === step.to) return undefined
      const parts = it.body.split(step.from)
      if (parts.length === 1 || (parts.length > 2 && !step.all)) return undefined
      return () => void (it.body = parts.join(step.to))
    }
  }
}

const NOBODY_KNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

async function take(agent: Agent, kernel: Kernel, ids: Map<Name, string>, step: Step) {
  const id = ids.get(step.on) ?? NOBODY_KNOWN
  const at = { name: step.on, project: 'atlas' }
  switch (step.act) {
    case 'supersede':
      return supersede(kernel, NOBODY, id, ids.get(step.by) ?? NOBODY_KNOWN)
    case 'archive':
      return archive(kernel, NOBODY, id, { reason: 'a reason' })
    case 'unarchive':
      return unarchive(kernel, NOBODY, id)
    case 'unsupersede':
      return unsupersede(kernel, NOBODY, id)
    case 'delete':
      return agent.call('memory_delete', at)
    case 'write':
      return remember(agent, step.on, { body: step.text })
    case 'append':
      return agent.call('memory_append', { ...at, body: step.text })
    case 'edit':
      return agent.call('memory_edit', {
        ...at,
        edits: [{ old_string: step.from, new_string: step.to, replace_all: step.all }],
      })
  }
}

const TOMBSTONE = /\n?\n> (?:Archived|Superseded by) [^\n]* on \d{4}-\d\d-\d\d(\n?)$/

async function check(house: House, model: Map<Name, Modelled>) {
  expect((await house.files()).filter((path) => path.startsWith('memory/'))).toEqual(
    [...model.keys()].sort().map((each) => `memory/atlas/${each}.md`),
  )
  for (const { id, body, state, by = '' } of model.values()) {
    const row = (await rowOf(house, id))!
    expect(row.content_hash).toBe(await house.sha256(row.path))
    expect(row.invalid_at === null).toBe(state === 'active')
    expect(row.superseded_by).toBe(by)
    expect(state === 'active' ? row.body : row.body.replace(TOMBSTONE, '$1')).toBe(body)
    expect(row.valid_from <= row.updated_at).toBe(true)
    if (row.invalid_at) expect(row.valid_from <= row.invalid_at).toBe(true)
  }
  const passages = await house.app.database.db
    .selectFrom('passages')
    .select(['id', 'active'])
    .where('kind', '=', 'memory')
    .execute()
  expect(Object.fromEntries(passages.map(({ id, active }) => [id, active]))).toEqual(
    Object.fromEntries([...model.values()].map(({ id, state }) => [id, state === 'active'])),
  )
}

test('every history of writes, edits, retirements and their undoing goes as the rules say', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await fc.assert(
    fc
      .asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const model = new Map<Name, Modelled>()
        const ids = new Map<Name, string>()
        for (const each of NAMES) {
          const { id } = await remember(agent, each, { body: `x${each}\n` })
          ids.set(each, id)
          model.set(each, { id, body: `x${each}\n`, state: 'active' })
        }
        for (const each of steps) {
          const apply = expected(model, each)
          const end = await take(agent, house.app.kernel, ids, each).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          )
          expect('value' in end, `${JSON.stringify(each)}: ${JSON.stringify(end)}`).toBe(
            apply !== undefined,
          )
          apply?.()
          if (each.act === 'write' && 'value' in end) {
            const { id } = end.value as { id: string }
            ids.set(each.on, id)
            model.get(each.on)!.id = id
          }
          if (each.act === 'delete') ids.delete(each.on)
        }
        await check(house, model)
      })
      .afterEach(async () => {
        for (const each of NAMES) {
          await agent.raw('memory_delete', { name: each, project: 'atlas' })
        }
      }),
    { numRuns: 10 },
  )
})
