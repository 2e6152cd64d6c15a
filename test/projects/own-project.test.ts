import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { openHouse } from '../helpers/house.ts'

afterEach(() => vi.restoreAllMocks())

/** The statements that judge a project before a transaction does. */
const judging = (sent: ReturnType<typeof watch>): string[] =>
  sent.mock.calls
    .map(([asked]) =>
      typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? ''),
    )
    // The background asks of fences as well, though not whether one project has a row.
    .filter((text) => text.includes('fence_allows') && text.includes('as registered'))
const watch = () => vi.spyOn(pg.Client.prototype, 'query')

test('who writes into the project of its session is asked nothing of the fence before the write', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  for (const name of ['Atlas', 'Ledger']) await agent.call('project_create', { name })
  await agent.call('session_start', { project: 'atlas' })
  const write = async (name: string, project?: string): Promise<number> => {
    const sent = watch()
    const memory = {
      name,
      kind: 'reference',
      description: 'd',
      body: 'b',
      ...(project && { project }),
    }
    await agent.call('memory_write', memory)
    const count = judging(sent).length
    sent.mockRestore()
    return count
  }
  expect(await write('own')).toBe(0)
  expect(await write('own by name', 'atlas')).toBe(0)
  expect(await write('elsewhere', 'ledger')).toBe(1)
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
