import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { GLOBAL, openForWriting } from '../../src/projects/projects.ts'
import { openHouse } from '../helpers/house.ts'

afterEach(() => vi.restoreAllMocks())

/** How many of the statements that an act sends hold all these words. */
async function sending(words: readonly string[], act: () => Promise<unknown>): Promise<number> {
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  await act()
  const texts = sent.mock.calls.map(([asked]) =>
    typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? ''),
  )
  sent.mockRestore()
  return texts.filter((text) => words.every((word) => text.includes(word))).length
}

/** The background asks of fences as well, though not whether one project has a row. */
const JUDGES = ['fence_allows', 'as registered']
const SEEKS_PARENT = ['From which project does :project inherit']

test('what a session may do with the project of its call is known with the session, and not asked before the write', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  for (const name of ['Atlas', 'Ledger']) await agent.call('project_create', { name })
  await agent.call('session_start', { project: 'atlas' })
  const write = (name: string, more: object = {}): Promise<number> =>
    sending(JUDGES, () =>
      agent.call('memory_write', { name, kind: 'reference', description: 'd', body: 'b', ...more }),
    )
  expect(await write('own')).toBe(0)
  expect(await write('own by name', { project: 'atlas' })).toBe(0)
  expect(await write('elsewhere', { project: 'ledger' })).toBe(0)

  // Nothing was known of whom an argument names.
  const other = await house.connect()
  const named = { session: await house.session('atlas'), project: 'ledger' }
  const memory = { name: 'by an argument', kind: 'reference', description: 'd', body: 'b' }
  expect(
    await sending(JUDGES, () => other.call('memory_write', { ...memory, ...named })),
  ).toBeGreaterThan(0)
})

test('what was judged in one call is judged anew in the next, whoever calls', async () => {
  await using house = await openHouse()
  const { kernel } = house.app
  expect(await openForWriting(kernel, GLOBAL, 'atlas')).toHaveProperty('created')
  expect(await openForWriting(kernel, GLOBAL, 'atlas')).not.toHaveProperty('created')
  await kernel.db.deleteFrom('projects').where('slug', '=', 'atlas').execute()
  expect(await openForWriting(kernel, GLOBAL, 'atlas')).toHaveProperty('created')

  const stranger = await house.connect()
  await stranger.call('session_start', { project: 'elsewhere' })
  const memory = { kind: 'reference', description: 'd', body: 'b', project: 'atlas' }
  await stranger.call('memory_write', { name: 'open', ...memory })
  await kernel.db
    .updateTable('projects')
    .set({ isolation: 'sealed' })
    .where('slug', '=', 'atlas')
    .execute()
  await expect(stranger.call('memory_write', { name: 'closed', ...memory })).rejects.toThrow(
    'project atlas is sealed',
  )
})

test('a search asks for a parent only where its project names one', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  for (const name of ['Atlas', 'Ledger']) await agent.call('project_create', { name })
  await agent.call('session_start', { project: 'atlas' })
  const search = (more: object = {}): Promise<number> =>
    sending(SEEKS_PARENT, () => agent.call('recall', { query: 'how are clocks wound', ...more }))
  expect(await search()).toBe(0)
  expect(await search({ project: 'ledger' })).toBe(0)
  const { db } = house.app.database
  await db
    .updateTable('projects')
    .set({ parent_slug: 'ledger' })
    .where('slug', '=', 'atlas')
    .execute()
  expect(await search()).toBe(1)
})

test('a session that is older than the row of its project makes it, and says so', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  const id = await house.session('atlas')
  await house.app.database.db
    .updateTable('mcp_sessions')
    .set({ session_id: id })
    .where('id', '=', agent.id)
    .execute()
  const memory = { name: 'first', kind: 'reference', description: 'd', body: 'b' }
  expect(await agent.call('memory_write', memory)).toMatchObject({ project_created: true })
  expect(await agent.call('memory_write', { ...memory, name: 'second' })).not.toHaveProperty(
    'project_created',
  )
})
