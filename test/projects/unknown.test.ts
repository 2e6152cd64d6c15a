import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

const MEMORY = { name: 'tide', kind: 'gotcha', description: 'the tide', body: 'zebra' }

describe('a project that is not there', () => {
  test('is refused by whatever reads, with those that are written nearly so', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (const name of ['Atlas', 'Atlas Sea', 'Delta', 'Harbour']) {
      await agent.call('project_create', { name })
    }
    const read = (tool: string, args: Record<string, unknown>): Promise<unknown> =>
      agent.call(tool, args)
    const meant = 'unknown project "atls"; did you mean "atlas"? project_list names all there are'

    await expect(read('recall', { query: 'zebra', project: 'atls' })).rejects.toThrow(
      `recall: ${meant}`,
    )
    await expect(read('tasks_ready', { project: 'atls' })).rejects.toThrow(meant)
    await expect(read('tasks_list', { project: 'atls' })).rejects.toThrow(meant)
    await expect(read('notes_read', { slug: 'x', project: 'atls' })).rejects.toThrow(meant)
    await expect(read('memory_read', { name: 'x', project: 'atls' })).rejects.toThrow(meant)
    await expect(read('memory_append', { name: 'x', body: 'y', project: 'atls' })).rejects.toThrow(
      meant,
    )
    await expect(read('tasks_ready', { project: 'sea' })).rejects.toThrow('mean "atlas-sea"?')
    await expect(read('tasks_ready', { project: 'Delta' })).rejects.toThrow('mean "delta"?')
    await expect(read('tasks_ready', { project: 'nowhere' })).rejects.toThrow(
      'tasks_ready: unknown project "nowhere"; project_list names all there are',
    )
    const { projects } = await agent.call('project_list')
    expect(projects).toHaveLength(4)
  })

  test('is compared with those alone that the caller may read', async () => {
    await using house = await openHouse()
    const outside = await house.connect()
    await outside.call('project_create', { name: 'Ledger', isolation: 'confidential' })
    const inside = await house.inside('ledger', 'confidential')

    await expect(outside.call('tasks_ready', { project: 'ledgr' })).rejects.toThrow(
      'tasks_ready: unknown project "ledgr"; project_list',
    )
    await expect(inside.call('tasks_ready', { project: 'ledgr' })).rejects.toThrow(
      'did you mean "ledger"?',
    )
  })

  test.each([
    ['tasks_add', 'title must not be blank', { title: ' ' }],
    ['tasks_add', 'body would be larger than 64 KiB', { title: 'x', body: 'x'.repeat(65_537) }],
    ['tasks_add', 'task not found: depends_on "nowhere"', { title: 'x', depends_on: 'nowhere' }],
    ['tasks_update', 'task not found: depends_on "nowhere"', { add_depends_on: 'nowhere' }],
    ['tasks_update', 'cannot depend on itself', { add_depends_on: 'itself' }],
    ['tasks_update', 'dependency would create a cycle', { add_depends_on: 'waiting' }],
    ['notes_update', 'the tag "digest" is kept for Loam', { tags_add: 'digest' }],
    ['memory_write', 'there is no memory "tide" to rewrite', { ...MEMORY, expect_hash: 'a1' }],
    ['capture_url', 'URL points to private/loopback address', { url: 'http://127.0.0.1/' }],
    ['session_start', 'name must be one line', { name: 'a\nb' }],
    ['session_start', 'is of a session in project crypt', { name: 'crypt/a' }],
  ])('is not made by a call that is refused: %s, %s', async (tool, refusal, args) => {
    await using house = await openHouse()
    await house.inside('crypt', 'sealed')
    const agent = await house.inside('atlas')
    const { id: task } = await agent.call('tasks_add', { title: 'x' })
    const { id: waiting } = await agent.call('tasks_add', { title: 'y', depends_on: task })
    const { id: note } = await agent.call('notes_create', { title: 'x', body: 'x' })
    const ids: Record<string, object> = { tasks_update: { id: task }, notes_update: { id: note } }
    const blockers: Record<string, string> = { itself: task, waiting }
    const { add_depends_on: named = '' } = args as { add_depends_on?: string }
    const sent = {
      ...args,
      ...ids[tool],
      ...(named && { add_depends_on: blockers[named] ?? named }),
    }

    await expect(agent.call(tool, { ...sent, project: 'fresh' })).rejects.toThrow(refusal)

    const { projects } = await agent.call('project_list')
    expect(projects.map(({ slug }: { slug: string }) => slug)).toEqual(['atlas', 'crypt'])
  })

  test('answers one in a sealed project like any other project', async () => {
    await using house = await openHouse()
    await (await house.connect()).call('project_create', { name: 'Atlas' })
    const inside = await house.inside('crypt', 'sealed')
    const words = async (project: string): Promise<string> =>
      inside.call('tasks_ready', { project }).catch((error: Error) => error.message) as never

    expect(await words('atls')).toBe(await words('atlas'))
    expect(await words('atls')).toContain('can read nothing else')
  })

  test('is read like any other where the caller itself works', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await house.app.kernel.db.deleteFrom('projects').execute()

    expect(await agent.call('tasks_ready', { project: 'atlas' })).toMatchObject({ ready: [] })
  })
})

describe('a write into a project that was not there', () => {
  test('makes it, says so once, and names the one that is written nearly so', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })

    const first = await agent.call('memory_write', { ...MEMORY, project: 'atls' })
    expect(first).toMatchObject({ project_created: true, nearest_project: 'atlas' })
    const again = await agent.call('memory_write', { ...MEMORY, project: 'atls' })
    expect(again).not.toHaveProperty('project_created')
    expect(again).not.toHaveProperty('nearest_project')
  })

  test('names none that is farther than two letters', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })

    const answer = await agent.call('memory_write', { ...MEMORY, project: 'attic-sea' })
    expect(answer).toMatchObject({ project_created: true })
    expect(answer).not.toHaveProperty('nearest_project')
  })

  test('says so on every tool that makes one', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: note } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'one' })
    const { id: task } = await agent.call('tasks_add', { title: 'T', project: 'one' })

    const calls: [string, Record<string, unknown>][] = [
      ['notes_create', { title: 'U', body: 'B', project: 'two' }],
      ['tasks_add', { title: 'U', project: 'three' }],
      ['notes_update', { id: note, project: 'four' }],
      ['tasks_update', { id: task, project: 'five' }],
      ['session_start', { project: 'six' }],
    ]
    for (const [tool, args] of calls) {
      expect([tool, await agent.call(tool, args)]).toMatchObject([tool, { project_created: true }])
    }
  })
})
