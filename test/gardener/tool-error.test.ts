import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { runGardener, undoProposal, unhideProposal } from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { Agent, Answer } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

let house: House
let alice: Agent
let bob: Agent
beforeEach(async () => {
  house = await openHouse()
  alice = await house.inside('atlas')
  bob = await house.inside('atlas')
  return () => house[Symbol.asyncDispose]()
})

/** Calls a tool that refuses, and returns what it said. */
async function fail(agent: Agent, tool: string, args: object): Promise<string> {
  const { isError, content } = await agent.raw(tool, args as Record<string, unknown>)
  expect(isError).toBe(true)
  return (content[0] as { text: string }).text
}
/** The same mistake with other words in it. */
const CONTRADICTION = (scope: string) => ({ query: 'lantern', scope, kind: 'gotcha' })
const mistake = (agent: Agent, scope = 'notes') => fail(agent, 'recall', CONTRADICTION(scope))

async function run(): Promise<{ proposed: number; held_back: number }> {
  await house.app.kernel.telemetry.flush()
  const { passes } = await runGardener(house.app.kernel, ownerScope(), { only: 'tool-error' })
  const { proposed, held_back, failed } = passes[0]!
  expect(failed).toBeUndefined()
  return { proposed, held_back }
}
const proposals = async (agent = alice): Promise<Answer[]> =>
  (await agent.call('gardener_proposals', { kind: 'tool_error' }))['proposals']
const payloads = async (agent = alice): Promise<Answer[]> =>
  (await proposals(agent)).map(({ payload }) => payload)
const ONE = { proposed: 1, held_back: 0 }
const NONE = { proposed: 0, held_back: 0 }

describe('an error that recurs', () => {
  test('is one that two sessions met three times, whatever was quoted in it', async () => {
    await mistake(alice, 'notes')
    await mistake(bob, 'tasks')
    const said = await mistake(alice, 'tasks')
    expect(said).toBe(
      'recall: kind is of memories only and contradicts scope "tasks"; leave one of them out',
    )
    expect(await run()).toEqual(ONE)
    const [payload] = await payloads()
    const { key, first_seen_at, last_seen_at, ...rest } = payload!
    expect(key).toMatch(/^tool_error:atlas:[0-9a-f]{16}$/)
    expect(rest).toEqual({
      ...{ project: 'atlas', surface: 'tool', name: 'recall' },
      signature: 'kind is of memories only and contradicts scope "…"; leave one of them out',
      examples: [said, said.replace('tasks', 'notes')],
      error_count: 3,
      session_count: 2,
      suggested_title: said.replace('tasks', '…'),
      reason: 'failed 3 times in 2 sessions of the last 14 days',
      example_args: [
        '{"kind": "gotcha", "query": "lantern", "scope": "tasks"}',
        '{"kind": "gotcha", "query": "lantern", "scope": "notes"}',
      ],
    })
    const calls = await house.app.database.db
      .selectFrom('events')
      .select('ts')
      .where('kind', '=', 'tool.call')
      .where(sql<boolean>`payload @> '{"is_error": true}'`)
      .orderBy('ts')
      .execute()
    expect([first_seen_at, last_seen_at]).toEqual([
      calls[0]!.ts.toISOString(),
      calls.at(-1)!.ts.toISOString(),
    ])
    expect(await run()).toEqual(NONE)
  })

  test('is not one that was met twice', async () => {
    await mistake(alice)
    await mistake(bob)
    expect(await run()).toEqual(NONE)
  })

  test('is not one that a single session met, however often', async () => {
    for (let n = 0; n < 5; n++) await mistake(alice)
    expect(await run()).toEqual(NONE)
  })

  test('is not three different ones of a tool, or the same words of three tools', async () => {
    await mistake(alice)
    await fail(bob, 'recall', { query: 'x', limit: 1_000 })
    await fail(alice, 'recall', { query: 'x', as_of: 'yesterday' })
    for (const [agent, tool] of [
      [alice, 'notes_read'],
      [bob, 'memory_read'],
      [alice, 'tasks_ready'],
    ] as const) {
      await fail(agent, tool, { limmit: 3 })
    }
    expect(await run()).toEqual(NONE)
  })

  test('is not the same in two projects', async () => {
    const carol = await house.inside('borea')
    await mistake(alice)
    await mistake(alice)
    await mistake(carol)
    expect(await run()).toEqual(NONE)
  })

  test('counts all who have no session as one, in the global scope, and tells of them without names', async () => {
    const strangers = [await house.connect('one'), await house.connect('two')]
    for (const agent of [...strangers, ...strangers]) await mistake(agent, 'tasks')
    expect(await run()).toEqual(NONE)
    const home = await house.inside('')
    await mistake(home, 'sessions')
    expect(await run()).toEqual(ONE)
    const [payload] = await payloads()
    expect(payload).toMatchObject({ project: '', error_count: 5, session_count: 2 })
    expect(payload!['examples']).toEqual([
      'recall: kind is of memories only and contradicts scope "sessions"; leave one of them out',
      'recall: kind is of memories only and contradicts scope "…"; leave one of them out',
    ])
    expect(payload!['example_args']).toEqual([
      '{"kind": "gotcha", "query": "lantern", "scope": "sessions"}',
    ])
  })

  test('is not that another was faster, or that something is not there', async () => {
    const { id } = await alice.call('tasks_add', { title: 'Paint the lantern' })
    await alice.call('tasks_claim', { id })
    const carol = await house.inside('atlas')
    for (const agent of [bob, carol, bob, carol]) {
      expect(await fail(agent, 'tasks_claim', { id })).toContain('task already claimed')
      expect(await fail(agent, 'memory_read', { name: 'no-such' })).toContain('no memory')
      expect(await fail(agent, 'tasks_add', { title: 'x', depends_on: ['not found'] })).toContain(
        'not found',
      )
    }
    expect(await run()).toEqual(NONE)
  })

  test('is not one that has stopped three days ago, and counts two weeks when it goes on', async () => {
    await mistake(alice)
    await mistake(bob)
    await mistake(bob)
    await house.app.kernel.telemetry.flush()
    await house.moveClock('4 days')
    expect(await run()).toEqual(NONE)
    await mistake(bob)
    expect(await run()).toEqual(ONE)
    expect((await payloads())[0]).toMatchObject({ error_count: 4, session_count: 2 })
  })

  test('is forgotten after two weeks', async () => {
    await mistake(alice)
    await mistake(bob)
    await house.app.kernel.telemetry.flush()
    await house.moveClock('15 days')
    await mistake(bob)
    expect(await run()).toEqual(NONE)
  })

  test('of many is proposed five at a time, the most frequent first, and says what waits', async () => {
    const ways: [tool: string, args: object][] = [
      ['recall', CONTRADICTION('notes')],
      ['tasks_add', { title: ' ' }],
      ['recall', { query: 'x', as_of: 'yesterday' }],
      ['notes_create', { title: 'x' }],
      ['memory_write', { name: 'x', kind: 'poem', description: 'd', body: 'b' }],
      ['tasks_ready', { limit: 0 }],
      ['favorite_set', { kind: 'poem', id: 'x', favorite: true }],
    ]
    for (const [at, [tool, args]] of ways.entries()) {
      for (let n = 0; n < 2 + at; n++) await fail(alice, tool, args)
      await fail(bob, tool, args)
    }
    expect(await run()).toEqual({ proposed: 5, held_back: 2 })
    const counts = async () =>
      (await payloads()).map(({ error_count }) => Number(error_count)).toSorted((a, b) => a - b)
    expect(await counts()).toEqual([5, 6, 7, 8, 9])
    for (const { id } of await proposals()) {
      await alice.call('gardener_apply', { id, action: 'hide' })
    }
    expect(await run()).toEqual({ proposed: 2, held_back: 0 })
    expect(await counts()).toEqual([3, 4])
  })

  test('shows five of its messages and no secret of its calls', async () => {
    const secret = `ghp_${'a1'.repeat(18)}`
    for (let n = 0; n < 7; n++) {
      const args = { query: `${secret} ${n}`, ['limmit']: n, note: 'x'.repeat(2_000) }
      await fail(n % 2 ? alice : bob, 'recall', { ...args, as_of: `day ${n}` })
    }
    expect(await run()).toEqual(ONE)
    const [payload] = await payloads()
    expect(payload!['example_args'][0]).toBe(
      `{"as_of": "day 6", "limmit": 6, "note": "${'x'.repeat(118)}…, "query": "[secret] 6"}`,
    )
    expect(payload!['example_args']).toHaveLength(5)
    expect(JSON.stringify(payload)).not.toContain(secret)
    for (const shown of [...payload!['examples'], ...payload!['example_args']]) {
      expect([...shown].length).toBeLessThanOrEqual(500)
    }
  })
})

describe('a hook that fails again and again', () => {
  const START = fixture('claude-code/session-start', {
    repo: 'git@host:acme/x.git',
    repo_root: '/src/x',
  })
  async function failHook(client = 'claude-code'): Promise<void> {
    const { db } = house.app.kernel
    await sql`alter table memories rename to memories_away`.execute(db)
    const { body } = await callHook(house, 'session-start', START, { query: `?client=${client}` })
    await sql`alter table memories_away rename to memories`.execute(db)
    expect(body.systemMessage).toBe('Loam session-start: internal error')
  }

  test('is told to everybody, by its stage and without what its words name', async () => {
    await failHook()
    await failHook('codex')
    expect(await run()).toEqual(NONE)
    await failHook()
    expect(await run()).toEqual(ONE)
    const [payload] = await payloads(await house.inside('borea'))
    expect(payload).toMatchObject({
      ...{ project: '', surface: 'hook', name: 'session-start', signature: '' },
      ...{ error_count: 3, session_count: 0 },
      suggested_title: 'the hook session-start',
      reason: 'failed 3 times in the last 14 days',
      examples: ['claude-code: relation "…" does not exist', 'codex: relation "…" does not exist'],
    })
    expect(payload!['example_args']).toBeUndefined()
  })

  test('becomes a task in the global scope', async () => {
    for (let n = 0; n < 3; n++) await failHook()
    await run()
    const { id } = (await proposals())[0]!
    const told = await (await house.inside('')).call('gardener_apply', { id })
    expect(told).toMatchObject({
      ...{ kind: 'tool_error', project: 'global', status: 'applied' },
      title: 'Find out why this fails: the hook session-start',
    })
    const { tasks } = await alice.call('tasks_list', { project: 'global', bodies: true })
    expect(tasks).toMatchObject([{ id: told['task_id'], created_by: 'gardener' }])
    expect(tasks[0].body).toContain('The hook session-start failed 3 times in the last 14 days.')
    expect(tasks[0].body).toContain('log of the service')
  })
})

describe('a fence', () => {
  test.each(['confidential', 'sealed'] as const)(
    'keeps the errors of a %s project inside',
    async (isolation) => {
      const inside = [await house.inside('ledger', isolation), await house.inside('ledger')]
      for (const agent of [...inside, ...inside]) await mistake(agent)
      expect(await run()).toEqual(ONE)
      expect(await payloads(inside[1])).toMatchObject([{ project: 'ledger', error_count: 4 }])
      expect(await payloads(alice)).toEqual([])
    },
  )

  test('keeps the calls of those who probably work behind it from the global scope', async () => {
    const place = { cwd: '/src/ledger', repo: 'git@host:acme/ledger.git', repo_root: '/src/ledger' }
    await alice.call('project_create', { name: 'ledger', isolation: 'confidential' })
    await callHook(house, 'session-start', { session_id: 's', source: 'startup', ...place })
    const probable = await house.connect('claude-code', { 'loam-directory': '/src/ledger' })
    for (let n = 0; n < 3; n++) await mistake(probable)
    for (const project of ['', 'ledger']) await mistake(await house.inside(project))
    expect(
      (await house.events('tool.call')).filter(({ project }) => project === null),
    ).toMatchObject(
      Array.from({ length: 3 }, () => ({ payload: { probable_session: expect.any(String) } })),
    )
    expect(await run()).toEqual(NONE)
  })

  test('does not keep the calls of those who probably work in an open project from it', async () => {
    const place = { cwd: '/src/atlas', repo: 'git@host:acme/atlas.git', repo_root: '/src/atlas' }
    await callHook(house, 'session-start', { session_id: 's', source: 'startup', ...place })
    const probable = await house.connect('claude-code', { 'loam-directory': '/src/atlas' })
    await mistake(probable)
    await mistake(probable)
    await mistake(alice)
    expect(await run()).toEqual(ONE)
    expect(await payloads()).toMatchObject([{ project: 'atlas', error_count: 3, session_count: 2 }])
  })
})

describe('a decision', () => {
  let id: string
  beforeEach(async () => {
    for (const agent of [alice, bob, alice]) await mistake(agent)
    await run()
    id = (await proposals())[0]!['id']
  })
  const decide = (action?: string) =>
    alice.call('gardener_apply', { id, ...(action && { action }) })
  const undo = () => undoProposal(house.app.kernel, NOBODY, id)
  const tasks = async (more: object = {}): Promise<Answer[]> =>
    (await alice.call('tasks_list', { bodies: true, ...more }))['tasks']

  test('to dismiss it holds until it fails again', async () => {
    await decide('dismiss')
    expect(await run()).toEqual(NONE)
    await mistake(bob)
    expect(await run()).toEqual(ONE)
  })

  test('to hide it holds until it is lifted and fails again', async () => {
    await decide('hide')
    await mistake(bob)
    expect(await run()).toEqual(NONE)
    await unhideProposal(house.app.kernel, NOBODY, id)
    expect(await run()).toEqual(ONE)
  })

  test.each(['dismiss', 'hide'])(
    'to %s it is taken back, and the same one waits',
    async (action) => {
      await decide(action)
      await undo()
      expect(await proposals()).toMatchObject([{ id, status: 'pending' }])
    },
  )

  test('to apply it opens a task with its messages and arguments', async () => {
    const told = await decide()
    const title =
      'Find out why this fails: recall: kind is of memories only and contradicts scope "…"; leave one of them…'
    expect(told).toEqual({
      ...{ status: 'applied', kind: 'tool_error', title, project: 'atlas' },
      task_id: expect.any(String),
    })
    const [task] = await tasks()
    expect(task).toMatchObject({ title, status: 'open', created_by: 'gardener' })
    expect(task!['body']).toBe(
      [
        'The tool recall failed 3 times in 2 sessions of the last 14 days. It said:',
        '- recall: kind is of memories only and contradicts scope "notes"; leave one of them out',
        'It was called with:',
        '- {"kind": "gotcha", "query": "lantern", "scope": "notes"}',
        'See whether agents call it wrongly for the same reason each time. If so, write a memory that tells them ' +
          'how; if not, tell the owner what is wrong.',
      ].join('\n\n'),
    )
  })

  test('that opened a task holds while it is to be done, and after that until it fails again', async () => {
    const { task_id } = await decide()
    await mistake(bob)
    expect(await run()).toEqual(NONE)
    await bob.call('tasks_claim', { id: task_id })
    await mistake(alice)
    expect(await run()).toEqual(NONE)
    await bob.call('tasks_update', { id: task_id, status: 'done' })
    expect(await run()).toEqual(ONE)
    const again = (await proposals())[0]!['id']
    expect((await alice.call('gardener_apply', { id: again }))['task_id']).not.toBe(task_id)
  })

  test('to apply it is taken back by dropping the task, and refused when somebody has begun it', async () => {
    const { task_id } = await decide()
    await undo()
    expect(await tasks({ status: 'dropped' })).toMatchObject([{ id: task_id }])
    const next = (await decide())['task_id']
    await bob.call('tasks_claim', { id: next })
    await expect(undo()).rejects.toThrow(`the task ${next} is in progress by now`)
    expect(await tasks({ status: 'in_progress' })).toMatchObject([{ id: next }])
  })

  test('to apply it uses the open task of this title', async () => {
    const { title, task_id } = await decide()
    await undo()
    const own = await bob.call('tasks_add', { title })
    expect(await decide()).toMatchObject({ task_id: own['id'], reused: true })
    expect(task_id).not.toBe(own['id'])
    await undo()
    expect(await tasks({ status: 'open' })).toMatchObject([{ id: own['id'] }])
  })
})
