import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

describe('an event', () => {
  test('is shown whole: who, where, about what, and every field that has no panel', async () => {
    await using house = await openHouse()
    const alice = await house.inside('atlas')
    const { id } = await alice.call('notes_create', { title: 'Deploy window', body: 'x' })
    const [event] = await house.events('note.written')
    const { body } = await ownerOf(house).json(`/console/events/${event!.id.toLowerCase()}`)
    expect(body).toMatchObject({
      event: {
        id: event!.id,
        ts: expect.stringMatching(/Z$/),
        kind: 'note.written',
        project: 'atlas',
        sessionId: event!.session_id,
        itemId: id,
        summary: expect.stringContaining('Deploy window'),
      },
      items: [],
      fields: [{ key: 'title', value: 'Deploy window' }],
    })
    expect(JSON.parse(body.rawJson)).toMatchObject({
      id: event!.id,
      payload: { title: 'Deploy window' },
    })
    expect(body).not.toHaveProperty('trace')
    const { text } = await ownerOf(house).get(`/console/events/${event!.id}`)
    expect(text).toContain(`href="/console/notes/${id}"`)
  })

  test.each([
    ['Asia/Kolkata', 'GMT+5:30', 330],
    ['Pacific/Marquesas', 'GMT−9:30', -570],
  ])('tells its time by the clock of the owner, who is in %s', async (zone, name, minutes) => {
    await using house = await openHouse({ env: { LOAM_CONSOLE_TIMEZONE: zone } })
    const alice = await house.inside('atlas')
    await alice.call('notes_create', { title: 'Deploy window', body: 'x' })
    const [event] = await house.events('note.written')
    const owner = ownerOf(house)
    const { body } = await owner.json(`/console/events/${event!.id}`)
    const there = new Date(Date.parse(body.event.ts) + minutes * 60_000).toISOString()
    const { text } = await owner.get(`/console/events/${event!.id}`)
    expect(text).toContain(
      `datetime="${body.event.ts}" title="${there.slice(0, 19).replace('T', ' ')} ${name}"`,
    )
  })

  test('leads to the plan of its own project', async () => {
    await using house = await openHouse()
    for (const project of ['atlas', 'delta']) {
      const agent = await house.inside(project)
      const { id } = await agent.call('tasks_add', { title: 'A', plan: 'launch' })
      await agent.call('tasks_update', { id, status: 'done' })
    }
    const [event] = await house.events('task.transition')
    expect(event!.project).toBe('atlas')
    const { text } = await ownerOf(house).get(`/console/events/${event!.id}`)
    expect(text).toContain('href="/console/plans/launch?project=atlas"')
  })

  test('of a call shows what was asked and answered, each once', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    await alice.call('notes_create', { title: 'Asked', body: 'for', project: 'atlas' })
    const calls = await house.events('tool.call')
    const event = calls.find(({ payload }) => payload['tool'] === 'notes_create')!
    const { body } = await ownerOf(house).json(`/console/events/${event.id}`)
    expect(JSON.parse(body.prompt)).toMatchObject({ title: 'Asked', body: 'for' })
    expect(body.content).toContain('asked')
    expect(body.trace).toMatchObject({ id: event.id, kind: 'tool.call', label: 'notes_create' })
    const keys = (body.fields as { key: string }[]).map(({ key }) => key)
    expect(keys).toContain('tool')
    expect(keys).not.toContain('args')
    expect(keys).not.toContain('result')
  })

  test('of a recall shows what it surfaced, in order, with gaps where something is gone', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    const made = []
    for (const title of ['Zeppelin hangar', 'Zeppelin pilot']) {
      made.push(await alice.call('notes_create', { title, body: 'zeppelin', project: 'atlas' }))
    }
    await alice.call('recall', { query: 'zeppelin', project: 'atlas' })
    const [event] = await house.events('retrieval.injected')
    await alice.call('notes_delete', { id: made[0]!['id'] })
    const { body } = await ownerOf(house).json(`/console/events/${event!.id}`)
    const surfaced = event!.payload['item_ids'] as string[]
    expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(surfaced)
    expect(body.items).toContainEqual({
      id: made[0]!['id'],
      name: made[0]!['id'],
      kind: '',
      description: '',
      project: '',
      missing: true,
    })
    expect(body.items).toContainEqual({
      id: made[1]!['id'],
      name: 'Zeppelin pilot',
      kind: 'note',
      description: '',
      project: 'atlas',
      href: `/console/notes/${made[1]!['id']}`,
    })
    const { text } = await ownerOf(house).get(`/console/events/${event!.id}`)
    expect(text).toContain('>gone</span>')
  })

  test('names what is still there, whether or not it has a page', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    const about = { kind: 'gotcha', description: 'zeppelin', body: 'zeppelin', project: 'atlas' }
    const { id: memory } = await alice.call('memory_write', { name: 'keep-gas', ...about })
    await alice.call('tasks_add', { title: 'Mend the zeppelin', project: 'atlas' })
    await alice.call('session_start', { name: 'zeppelin watch', project: 'atlas' })
    await alice.call('session_update', { findings: 'The zeppelin leaks.' })
    await house.app.kernel.telemetry.flush()
    await alice.call('recall', { query: 'zeppelin', project: 'atlas', scope: 'all' })
    const owner = ownerOf(house)

    const [written] = await house.events('memory.written')
    const { text: page } = await owner.get(`/console/events/${written!.id}`)
    expect(page).toContain(`<a href="/console/memories/${memory}">keep-gas</a>`)
    expect(page).not.toContain('gone')

    const surfaced = (await house.events('retrieval.injected')).at(-1)!
    const { body } = await owner.json(`/console/events/${surfaced.id}`)
    const named = (body.items as { kind: string; name: string; missing?: boolean }[]).map(
      ({ kind, name, missing = false }) => `${kind} ${name} ${missing}`,
    )
    expect(named.toSorted()).toEqual([
      'memory keep-gas false',
      'session The zeppelin leaks. false',
      'task Mend the zeppelin false',
    ])
    expect(body.items).toContainEqual(expect.objectContaining({ id: memory, kind: 'memory' }))
    const { text } = await owner.get(`/console/events/${surfaced.id}`)
    expect(text).toMatch(
      />session<\/span><span class="ledger-text"><a href="\/console\/sessions\/\w+"/,
    )
    expect(text).toMatch(/\/projects\/atlas">atlas<\/a>\s*<\/span><\/li>/)
    expect(text).not.toContain('gone')
  })
})
