import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { openHouse } from '../helpers/house.ts'

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

test('a read of a memory and a look at the queue ask through functions, which are planned once', async () => {
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
  const queue = await asking('tasks|task_deps|task_totals', () => agent.call('tasks_ready', {}))
  expect(queue).toEqual([])
})
