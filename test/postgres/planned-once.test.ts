import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { genericPlan, statementIn } from '../helpers/plan.ts'

afterEach(() => vi.restoreAllMocks())

/** The statements of an act that ask one of these tables by themselves, and not through a function, whose plan is kept. */
async function asking(tables: string, act: () => Promise<unknown>): Promise<string[]> {
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  await act()
  const texts = sent.mock.calls.map(([asked]) =>
    typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? ''),
  )
  sent.mockRestore()
  return texts.filter((text) => new RegExp(`\\b(?:from|join|into) "?(?:${tables})\\b`).test(text))
}

test('a read of a memory, a search and a look at the queue ask through functions, which are planned once', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await agent.call('project_create', { name: 'Atlas' })
  await agent.call('session_start', { project: 'atlas' })
  const memory = { kind: 'reference', description: 'd', body: 'b' }
  const { id } = await agent.call('memory_write', { name: 'harbour', ...memory })
  const first = await agent.call('tasks_add', { title: 'dig' })
  await agent.call('tasks_add', { title: 'fill', depends_on: [first.id] })

  for (const target of [{ name: 'harbour' }, { id }]) {
    const read = await asking('memories|told|events_acts', () => agent.call('memory_read', target))
    expect(read).toEqual([])
  }
  const search = await asking('recall_(?:words|items|links|passages)|memories', () =>
    agent.call('recall', { query: 'harbour wall' }),
  )
  expect(search).toEqual([])
  const queue = await asking('tasks|task_deps|task_totals', () => agent.call('tasks_ready', {}))
  expect(queue).toEqual([])
})

test('how much an item is used, and what a task waits for, is part of the plan that asks, and no function run for each', async () => {
  await using house = await openHouse()
  const { db } = house.app.kernel
  // As it is when a plan is made first: looked at, and empty.
  await sql`analyze tasks`.execute(db)
  const hydration = await statementIn(db, 'recall_items', {
    ...{ sought_kinds: 'text[]', sought_ids: 'text[]', everywhere: 'boolean' },
    ...{ in_projects: 'text[]', from_projects: 'text[]' },
  })
  const prompt = await statementIn(db, 'match_prompt', {
    ...{ asked_lexemes: 'text[]', asked_weights: 'float8[]', asked_words: 'float8' },
    ...{ without_kind: 'text', keep: 'integer', of_whose: 'uuid', of_agent: 'text' },
    ...{ least_words: 'integer', least_score: 'float8', many: 'float8', long: 'float8' },
    ...{ usual_length: 'float8', boost: 'float8', small_scope: 'integer', pool_size: 'float8' },
    ...{ most_candidates: 'integer', fewest: 'integer', counted: 'integer' },
    ...{ in_projects: 'text[]', from_projects: 'text[]' },
  })
  for (const statement of [hydration, prompt]) {
    const plan = await genericPlan(db, statement, { byIndexes: true })
    expect(plan).toContain('session_items')
    expect(plan).not.toContain('Function Scan on used')
  }
  const queue = await statementIn(db, 'task_queue', {
    ...{ of_project: 'text', of_plan: 'text', most: 'integer', characters: 'integer' },
    ...{ most_blockers: 'integer', caller: 'text', level: 'text' },
  })
  const plan = await genericPlan(db, queue, { byIndexes: true })
  expect(plan).not.toContain('Seq Scan on tasks')
  expect(plan).not.toContain('Function Scan on unfinished_blockers')
})

test('what is planned once beside a small table never reads it whole when it has grown', async () => {
  await using house = await openHouse()
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc
    where proconfig @> array['plan_cache_mode=force_generic_plan', 'enable_seqscan=off']`.execute(
    house.app.kernel.db,
  )
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['document_writers', 'find_document', 'learned_model', 'match_prompt'],
      ...['recall_items', 'task_queue', 'tell_agents'],
    ]),
  )
})
