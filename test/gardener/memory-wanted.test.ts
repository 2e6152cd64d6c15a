import { beforeEach, describe, expect, test } from 'vitest'
import { runGardener, undoProposal, unhideProposal } from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { Agent, Answer } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

let house: House
let alice: Agent
let bob: Agent
beforeEach(async () => {
  house = await openHouse()
  alice = await house.inside('atlas')
  bob = await house.inside('atlas')
  return () => house[Symbol.asyncDispose]()
})

/** Asks in vain, in the order given. */
async function miss(query: string, agents = [alice, bob], more: object = {}): Promise<void> {
  for (const agent of agents) {
    expect((await agent.call('recall', { query, ...more }))['hits']).toEqual([])
  }
}
async function run(): Promise<{ proposed: number; held_back: number }> {
  await house.app.kernel.telemetry.flush()
  const { passes } = await runGardener(house.app.kernel, ownerScope(), { only: 'memory-wanted' })
  const { proposed, held_back, failed } = passes[0]!
  expect(failed).toBeUndefined()
  return { proposed, held_back }
}
const proposals = async (agent = alice): Promise<Answer[]> =>
  (await agent.call('gardener_proposals', { kind: 'memory_wanted' }))['proposals']
const signatures = async (agent = alice): Promise<string[]> =>
  (await proposals(agent)).map(({ payload }) => payload.signature).toSorted()
const ONE = { proposed: 1, held_back: 0 }
const NONE = { proposed: 0, held_back: 0 }

describe('a knowledge gap', () => {
  test('is what two sessions asked in vain in the same words, however they put them', async () => {
    await miss('How do we rotate the harbour keys?', [alice])
    await miss('HARBOUR keys: rotate!', [bob])
    await miss('HARBOUR keys: rotate!', [alice])
    expect(await run()).toEqual(ONE)
    const [proposal] = await proposals()
    expect(proposal).toMatchObject({ kind: 'memory_wanted', status: 'pending' })
    const { first_missed_at, last_missed_at, ...payload } = proposal!['payload']
    expect(payload).toEqual({
      key: 'memory_wanted:atlas:harbour-keys-rotate',
      project: 'atlas',
      signature: 'harbour-keys-rotate',
      queries: ['HARBOUR keys: rotate!', 'How do we rotate the harbour keys?'],
      miss_count: 3,
      session_count: 2,
      suggested_title: 'HARBOUR keys: rotate!',
      reason: 'asked of recall 3 times in 2 sessions of the last 14 days, and nothing was found',
    })
    const misses = await house.app.database.db
      .selectFrom('events')
      .select('ts')
      .where('kind', '=', 'recall.miss')
      .orderBy('ts')
      .execute()
    expect([first_missed_at, last_missed_at]).toEqual([
      misses[0]!.ts.toISOString(),
      misses.at(-1)!.ts.toISOString(),
    ])
    expect(await house.events('gardener.action')).toMatchObject([
      { item_id: proposal!['id'], payload: { action: 'propose', kind: 'memory_wanted' } },
    ])
    expect(await run()).toEqual(NONE)
  })

  test('shows the five newest of its questions, each once and without secrets', async () => {
    for (const mark of ['.', '!', '?', ';', ':', '…']) await miss(`harbour${mark}lantern`)
    const token = `ghp_${'a1'.repeat(18)}`
    await miss(`harbour\n\nlantern ${token}`)
    expect(await run()).toEqual({ proposed: 2, held_back: 0 })
    const [masked, plain] = (await proposals())
      .map(({ payload }) => payload)
      .toSorted((a, b) => (a.signature < b.signature ? 1 : -1))
    expect(plain.queries).toEqual([
      ...['harbour…lantern', 'harbour:lantern', 'harbour;lantern', 'harbour?lantern'],
      'harbour!lantern',
    ])
    expect(masked).toMatchObject({
      signature: 'harbour-lantern-secret',
      queries: ['harbour lantern [secret]'],
    })
  })

  test('is not what one session asked, however often', async () => {
    for (let n = 0; n < 5; n++) await miss('harbour lantern', [alice])
    expect(await run()).toEqual(NONE)
  })

  test('counts all who have no session as one', async () => {
    const [one, two] = [await house.connect('one'), await house.connect('two')]
    await miss('harbour lantern', [one, two], { project: 'atlas' })
    expect(await run()).toEqual(NONE)
    await miss('harbour lantern', [alice])
    expect(await run()).toEqual(ONE)
    expect((await proposals())[0]!['payload']).toMatchObject({ miss_count: 3, session_count: 2 })
  })

  test('is not a question that says nothing of what it is about', async () => {
    await miss('what is it, and why?')
    await miss('once more, each of them')
    await miss('go to db')
    expect(await run()).toEqual(NONE)
  })

  test('belongs to the project in which it was asked', async () => {
    const carol = await house.inside('borea')
    await miss('harbour lantern', [alice])
    await miss('harbour lantern', [carol])
    expect(await run()).toEqual(NONE)
    await miss('harbour lantern', [alice, carol], { project: 'global' })
    expect(await run()).toEqual(ONE)
    expect((await proposals())[0]!['payload']).toMatchObject({
      key: 'memory_wanted::harbour-lantern',
      project: '',
    })
  })

  test('is forgotten two weeks after it was last missed', async () => {
    const { telemetry } = house.app.kernel
    await miss('harbour lantern')
    await telemetry.flush()
    await house.moveClock('2 days')
    await miss('harbour crane')
    await telemetry.flush()
    await house.moveClock('15 days')
    expect(await run()).toEqual(ONE)
    expect(await signatures()).toEqual(['crane-harbour'])
  })

  test('is none when the same words found something, whatever else missed them', async () => {
    const carol = await house.inside('borea')
    const half = { name: 'lantern', kind: 'gotcha', description: 'A lantern', body: 'b' }
    await miss('harbour lantern', [alice, bob])
    await carol.call('memory_write', half)
    expect((await carol.call('recall', { query: 'the harbour lantern' }))['hits']).toHaveLength(1)
    expect(await run()).toEqual(ONE)
    await alice.call('gardener_apply', { id: (await proposals())[0]!['id'], action: 'dismiss' })

    await miss('harbour lantern')
    await alice.call('memory_write', half)
    expect((await bob.call('recall', { query: 'Lantern, harbour' }))['hits']).toHaveLength(1)
    expect(await run()).toEqual(NONE)
  })

  test('of many is proposed five at a time, the most missed first, and says what waits', async () => {
    for (let n = 1; n <= 7; n++) {
      for (let times = 0; times < n; times++) await miss(`lantern${'x'.repeat(n)}`, [alice])
      await miss(`lantern${'x'.repeat(n)}`, [bob])
    }
    expect(await run()).toEqual({ proposed: 5, held_back: 2 })
    const named = (...counts: number[]) => counts.map((n) => `lantern${'x'.repeat(n)}`)
    expect(await signatures()).toEqual(named(3, 4, 5, 6, 7))
    for (const { id } of await proposals()) {
      await alice.call('gardener_apply', { id, action: 'hide' })
    }
    expect(await run()).toEqual({ proposed: 2, held_back: 0 })
    expect(await signatures()).toEqual(named(1, 2))
  })

  test('may be as long as the log keeps a question', async () => {
    const signs = Array.from({ length: 600 }, (_, n) => String.fromCodePoint(0x10400 + (n % 40)))
    await miss(signs.join(''))
    await miss('\u337f'.repeat(600))
    expect(await run()).toEqual({ proposed: 2, held_back: 0 })
    const keys = (await proposals()).map(({ payload }) => payload.key)
    for (const key of keys) expect(key).toMatch(/^memory_wanted:atlas:[0-9a-f]{64}$/)
    expect(await run()).toEqual(NONE)
  })
})

describe('what is known by now is no gap', () => {
  const TEXT = 'The harbour has one lantern'
  const RECORDS: Record<string, () => Promise<unknown>> = {
    memory: () => remember(alice),
    note: () => alice.call('notes_create', { title: 'Lights', body: TEXT }),
    task: () => alice.call('tasks_add', { title: TEXT }),
    async session() {
      const session = await house.connect()
      await session.call('session_start', { name: 'watch', project: 'atlas' })
      await session.call('session_end', { findings: TEXT })
    },
    async trial() {
      await research(house)
      await tried(alice, TEXT)
    },
  }
  const remember = (agent: Agent, more: object = {}) =>
    agent.call('memory_write', {
      ...{ name: 'lantern', kind: 'gotcha', description: TEXT, body: 'b', ...more },
    })

  test.each(Object.keys(RECORDS))('when a %s has all of its words', async (kind) => {
    await miss('lanterns of the HARBOUR')
    await RECORDS[kind]!()
    expect(await run()).toEqual(NONE)
  })

  test('but a trial does not count while nobody can find trials', async () => {
    await miss('harbour lantern')
    await RECORDS['trial']!()
    await research(house, false)
    expect(await run()).toEqual(ONE)
  })

  test('but some of its words do not count', async () => {
    await miss('harbour lantern')
    await remember(alice, { description: 'A lantern' })
    await alice.call('tasks_add', { title: 'Paint the harbour' })
    expect(await run()).toEqual(ONE)
  })

  test('but a memory that was archived does not count', async () => {
    await miss('harbour lantern')
    await remember(alice)
    const { created } = await alice.call('gardener_request', {
      request: 'it is wrong',
      operations: [{ op: 'archive', target: 'lantern' }],
    })
    await alice.call('gardener_apply', { id: created[0] })
    expect(await run()).toEqual(ONE)
  })

  test('in the global scope and, as memories, in the parent, but nowhere else', async () => {
    const [parent, carol] = [await house.inside('fleet'), await house.inside('borea')]
    const { db } = house.app.database
    await miss('harbour lantern')
    await miss('harbour crane')
    await miss('harbour rope')
    await remember(alice, { name: 'crane', project: 'global', description: 'Crane of the harbour' })
    await parent.call('notes_create', { title: 'Rope', body: 'Rope of the harbour' })
    await remember(carol)
    await remember(parent)
    expect(await run()).toEqual({ proposed: 2, held_back: 0 })
    expect(await signatures()).toEqual(['harbour-lantern', 'harbour-rope'])
    for (const { id } of await proposals()) {
      await alice.call('gardener_apply', { id, action: 'dismiss' })
    }
    await db
      .updateTable('projects')
      .set({ parent_slug: 'fleet' })
      .where('slug', '=', 'atlas')
      .execute()
    await miss('harbour rope', [alice], { scope: 'sessions' })
    await miss('harbour lantern', [alice], { scope: 'sessions' })
    expect(await run()).toEqual(ONE)
    expect(await signatures()).toEqual(['harbour-rope'])
  })
})

describe('a fence', () => {
  test.each(['confidential', 'sealed'] as const)(
    'keeps the gaps of a %s project inside',
    async (isolation) => {
      const inside = [await house.inside('ledger', isolation), await house.inside('ledger')]
      await miss('currency hedge', inside)
      expect(await run()).toEqual(ONE)
      expect(await signatures(inside[0])).toEqual(['currency-hedge'])
      expect(await signatures(alice)).toEqual([])
      const [{ id } = { id: '' }] = await proposals(inside[0])
      await expect(alice.call('gardener_apply', { id })).rejects.toThrow(`no proposal with id`)
      const told = await inside[0]!.call('gardener_apply', { id })
      expect(told).toMatchObject({ status: 'applied', project: 'ledger' })
      expect((await alice.call('tasks_list', { project: 'atlas' }))['tasks']).toEqual([])
      expect((await inside[0]!.call('tasks_list', {}))['tasks']).toMatchObject([
        { id: told['task_id'] },
      ])
    },
  )

  test('keeps what its agents ask elsewhere from those who work there', async () => {
    const inside = [await house.inside('ledger', 'confidential'), await house.inside('ledger')]
    await miss('currency hedge', inside, { project: 'atlas' })
    await miss('currency hedge', inside, { project: 'global' })
    expect(await run()).toEqual(NONE)
    await miss('currency hedge', [alice])
    expect(await run()).toEqual(NONE)
    await miss('currency hedge', [bob])
    expect(await run()).toEqual(ONE)
    expect((await proposals())[0]!['payload']).toMatchObject({ miss_count: 2, session_count: 2 })
  })

  test('around a sealed project hides what the global scope knows', async () => {
    const inside = [await house.inside('crypt', 'sealed'), await house.inside('crypt')]
    await alice.call('memory_write', {
      ...{ name: 'hedge', kind: 'gotcha', description: 'Currency hedge', body: 'b' },
      project: 'global',
    })
    await miss('currency hedge', inside)
    expect(await run()).toEqual(ONE)
  })
})

describe('a decision', () => {
  let id: string
  beforeEach(async () => {
    await miss('harbour lantern')
    await run()
    id = (await proposals())[0]!['id']
  })
  const decide = (action: string) => alice.call('gardener_apply', { id, action })

  test('to dismiss it holds until it is missed again', async () => {
    await decide('dismiss')
    expect(await run()).toEqual(NONE)
    await miss('harbour lantern', [alice])
    expect(await run()).toEqual(ONE)
    expect((await proposals())[0]!['id']).not.toBe(id)
  })

  test('to hide it holds whatever is missed, and lets the next miss through once it is lifted', async () => {
    await decide('hide')
    await miss('harbour lantern')
    expect(await run()).toEqual(NONE)
    await unhideProposal(house.app.kernel, NOBODY, id)
    expect(await run()).toEqual(ONE)
  })

  test('that is lifted without a miss since it was hidden does not raise it', async () => {
    await decide('hide')
    await unhideProposal(house.app.kernel, NOBODY, id)
    expect(await run()).toEqual(NONE)
  })

  test.each(['dismiss', 'hide'])(
    'to %s it is taken back, and the same one waits',
    async (action) => {
      await decide(action)
      await undoProposal(house.app.kernel, NOBODY, id)
      expect(await proposals()).toMatchObject([{ id, status: 'pending' }])
      await miss('harbour lantern')
      expect(await run()).toEqual(NONE)
    },
  )
})

describe('to apply it', () => {
  const tasks = async (more: object = {}): Promise<Answer[]> =>
    (await alice.call('tasks_list', { ...more }))['tasks']
  const proposed = async (query = 'harbour lantern'): Promise<string> => {
    await miss(query)
    await run()
    return (await proposals())[0]!['id']
  }
  const undo = (id: string) => undoProposal(house.app.kernel, NOBODY, id)

  test('opens a task that nobody holds, which names the questions and what would close the gap', async () => {
    const id = await proposed()
    const told = await bob.call('gardener_apply', { id })
    const title = 'Write down what is known of: harbour lantern'
    expect(told).toEqual({
      ...{ status: 'applied', kind: 'memory_wanted', title, project: 'atlas' },
      task_id: expect.any(String),
    })
    const [task] = await tasks({ bodies: true })
    expect(task).toMatchObject({
      ...{ id: told['task_id'], title, status: 'open', project: 'atlas', created_by: 'gardener' },
    })
    expect(task!['claimed_by']).toBeUndefined()
    const body = String(task!['body'])
    expect(body).toContain('This was asked of recall 2 times in 2 sessions')
    expect(body).toContain('- harbour lantern')
    expect(body).toContain('memory_write')
    const [event] = await house.events('task.transition')
    expect(event).toMatchObject({
      ...{ item_id: told['task_id'], project: 'atlas', payload: { to: 'open', created: true } },
    })
    const { session_id } = (await house.events('gardener.action')).at(-1)!
    expect(event!.session_id).toBe(session_id)
    expect(session_id).not.toBeNull()
    await expect(bob.call('gardener_apply', { id })).rejects.toThrow('is already applied')
  })

  test('cuts a long question to 80 characters of the title, and not in the list', async () => {
    const query = `${'lantern '.repeat(12)}\u{1f3ee}`
    const id = await proposed(query)
    const { title } = await alice.call('gardener_apply', { id })
    const about = String(title).slice('Write down what is known of: '.length)
    expect(about).toBe(`${'lantern '.repeat(9)}lantern…`)
    expect([...about].length).toBeLessThanOrEqual(80)
    expect((await tasks({ bodies: true }))[0]!['body']).toContain(`- ${query}`)
  })

  test('uses the open task of this title again, and leaves it when it is taken back', async () => {
    const title = 'Write down what is known of: harbour lantern'
    const id = await proposed()
    const own = await alice.call('tasks_add', { title })
    const elsewhere = await (await house.inside('borea')).call('tasks_add', { title })
    const told = await alice.call('gardener_apply', { id })
    expect(told).toMatchObject({ task_id: own['id'], reused: true })
    expect(told['task_id']).not.toBe(elsewhere['id'])
    expect(await tasks()).toHaveLength(1)
    await undo(id)
    expect(await tasks({ status: 'open' })).toMatchObject([{ id: own['id'] }])
    expect(await proposals()).toMatchObject([{ id }])
  })

  test('opens a new task when that of this title is done', async () => {
    const title = 'Write down what is known of: harbour lantern'
    const id = await proposed()
    const done = await alice.call('tasks_add', { title })
    await alice.call('tasks_update', { id: done['id'], status: 'done' })
    const told = await alice.call('gardener_apply', { id })
    expect(told['reused']).toBeUndefined()
    expect(told['task_id']).not.toBe(done['id'])
  })

  test('is taken back by dropping the task, and may be done again', async () => {
    const id = await proposed()
    const { task_id } = await alice.call('gardener_apply', { id })
    await undo(id)
    expect(await tasks({ status: 'dropped' })).toMatchObject([{ id: task_id }])
    expect((await house.events('task.transition')).at(-1)).toMatchObject({
      ...{ item_id: task_id, payload: { from: 'open', to: 'dropped' } },
    })
    expect(await proposals()).toMatchObject([{ id, status: 'pending' }])
    const again = await alice.call('gardener_apply', { id })
    expect(again['task_id']).not.toBe(task_id)
    expect(await tasks({ status: 'open' })).toMatchObject([{ id: again['task_id'] }])
  })

  test.each([
    ['in progress', (id: string) => bob.call('tasks_claim', { id })],
    ['done', (id: string) => bob.call('tasks_update', { id, status: 'done' })],
    ['dropped', (id: string) => bob.call('tasks_update', { id, status: 'dropped' })],
  ])('is not taken back when the task is %s', async (status, act) => {
    const id = await proposed()
    const { task_id } = await alice.call('gardener_apply', { id })
    await act(task_id)
    const before = await tasks({ bodies: true })
    await expect(undo(id)).rejects.toThrow(
      `the task ${task_id} is ${status} by now; nothing was taken back`,
    )
    expect(await tasks({ bodies: true })).toEqual(before)
    expect(await proposals()).toEqual([])
  })

  test("is not taken back when the task is somebody else's", async () => {
    const id = await proposed()
    const { task_id } = await alice.call('gardener_apply', { id })
    await house.app.database.db.updateTable('tasks').set({ created_by: 'harbor' }).execute()
    await expect(undo(id)).rejects.toThrow(
      `the task ${task_id} is not one that the gardener opened; nothing was taken back`,
    )
    expect(await tasks({ status: 'open' })).toHaveLength(1)
  })

  test('registers the project of sessions that are older than its row', async () => {
    const { db } = house.app.database
    const agents = [await house.inside('lost'), await house.inside('lost')]
    await db.deleteFrom('projects').where('slug', '=', 'lost').execute()
    await miss('harbour lantern', agents)
    expect(await run()).toEqual(ONE)
    const [{ id } = { id: '' }] = await proposals(agents[0])
    expect(await agents[0]!.call('gardener_apply', { id })).toMatchObject({ project: 'lost' })
    const known = await db
      .selectFrom('projects')
      .select('slug')
      .where('slug', '=', 'lost')
      .execute()
    expect(known).toHaveLength(1)
  })
})
