import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leftOf, spanOf } from '../../src/console/durations.ts'
import { ambientSession, endByClient, expireSilent } from '../../src/sessions/sessions.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

describe('the owner sees of sessions', () => {
  let house: House
  let owner: Owner
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const start = async (name: string, project = 'atlas', by = agent): Promise<string> =>
    (await by.call('session_start', { name, project, model: 'claude-opus-4-7-20260301' }))[
      'session_id'
    ]
  const another = async (name: string, project = 'atlas') =>
    start(name, project, await house.connect())
  const list = async (query = '') => (await owner.json(`/console/sessions${query}`)).body
  const names = async (query: string) =>
    (await list(query)).sessions.map(({ name }: { name: string }) => name)

  test('nothing, and how there comes to be one', async () => {
    const { text } = await owner.get('/console/sessions')
    expect(text).toContain('No session yet')
    expect(await list()).toMatchObject({ total: 0, sessions: [], filter: '', sort: 'recent' })
  })

  test('each in its state, with counts of all', async () => {
    const live = await start('live one')
    await another('done one')
    const done = await house.connect()
    await done.call('session_end', { session: 'done one', findings: 'the\n quokka  holds' })
    await ambientSession(house.app.kernel, {
      client: 'codex',
      external_id: 'abc',
      project: '',
      cwd: '/x',
      source: 'startup',
    })
    await house.app.kernel.telemetry.flush()
    const body = await list()
    expect(body).toMatchObject({
      active: 2,
      idle: 0,
      completed: 1,
      expired: 0,
      total: 3,
      window: '24h',
      windowLabel: 'last 24 hours',
    })
    expect(body).not.toHaveProperty('more')
    expect(body.sessions.find(({ id }: { id: string }) => id === live)).toMatchObject({
      name: 'live one',
      project: 'atlas',
      status: 'active',
      source: 'explicit',
      ambient: false,
      model: 'claude-opus-4-7-20260301',
      live: true,
      findings: '',
      tokens: { input: 0, cached: 0, cacheCreation: 0, output: 0, total: 0 },
    })
    expect(body.sessions.at(-1)).toMatchObject({ name: 'done one', findings: 'the quokka holds' })
    const { text } = await owner.get('/console/sessions')
    expect(text).toContain('<b>3</b> last 24 hours')
    expect(text).toMatch(/Live <b>2<\/b>[^]*Completed <b>1<\/b>/)

    await house.moveClock('50 minutes')
    expect(await list()).toMatchObject({ active: 2, idle: 2, sessions: [{ live: false }, {}, {}] })
    expect(await names('?status=idle')).toHaveLength(2)
    await house.moveClock('2 hours')
    await expireSilent(house.app.kernel)
    expect(await list()).toMatchObject({ active: 0, idle: 0, completed: 1, expired: 2 })
  })

  test('those that are asked for: by state, words, what is left of them, and time', async () => {
    await start('harbor')
    await agent.call('notes_create', { title: 'Tide', body: 'x' })
    await another('quay', 'delta')
    await another('reef', 'delta')
    await (await house.connect()).call('session_update', { session: 'reef', findings: 'quokka' })
    await house.app.kernel.telemetry.flush()
    expect(await names('?q=QUOKKA')).toEqual(['reef'])
    expect(await names('?q=delta&sort=name')).toEqual(['quay', 'reef'])
    expect(await names('?q=%25')).toEqual([])
    expect(await names('?q=%01')).toEqual([])
    expect(await names('?project=delta&sort=name')).toEqual(['quay', 'reef'])
    expect(await names('?project=global')).toEqual([])
    expect(await names('?retained=yes&sort=name')).toEqual(['harbor', 'reef'])
    expect(await names('?retained=no')).toEqual(['quay'])
    expect(await names('?status=completed')).toEqual([])
    expect(await names('?status=active&sort=name')).toEqual(['harbor', 'quay', 'reef'])
    await house.moveClock('3 days')
    expect(await list()).toMatchObject({ total: 3, active: 0, sessions: [] })
    expect(await names('?w=7d')).toHaveLength(3)
    expect(await list('?w=all')).toMatchObject({ windowLabel: 'all time', idle: 3 })
    const { text } = await owner.get('/console/sessions?q=nobody')
    expect(text).toContain('Nothing matches')
  })

  test.each([false, true])(
    'those of which any text has the characters, and no others (over: %s)',
    async (over) => {
      const by = await house.connect()
      const id = await start('harbor light', 'atlas', by)
      await by.call('session_update', { session: 'harbor light', findings: 'the Quokka holds' })
      const task = await by.call('tasks_add', { title: 'Dredge the canal', project: 'atlas' })
      await by.call('tasks_claim', { id: task['id'] })
      await another('quay', 'delta')
      await house.app.kernel.telemetry.flush()
      if (over) {
        await house.moveClock('3 hours')
        await expireSilent(house.app.kernel)
      }
      for (const q of ['bor li', 'QUOKKA', 'the canal', 'atl', 'at', id.toLowerCase()])
        expect([q, await names(`?w=all&q=${encodeURIComponent(q)}`)]).toEqual([q, ['harbor light']])
      expect(await names('?w=all&q=del')).toEqual(['quay'])
      expect(await names('?w=all&q=light%01the')).toEqual([])
      expect(await names('?w=all&q=b%25r')).toEqual([])
    },
  )

  test.each([
    ['status=asleep', 'valid values are active, idle, completed, expired'],
    ['sort=size', 'valid values are recent, name'],
    ['w=1h', 'valid values are 24h, 7d, 30d, all'],
    ['retained=maybe', 'valid values are yes, no'],
  ])('no list for %s, but what is valid', async (query, words) => {
    const { status, body } = await owner.json(`/console/sessions?${query}`)
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: expect.stringContaining(words) },
    })
  })

  test('no more than two hundred at once, and how many follow', async () => {
    for (let i = 0; i < 201; i++) await house.session('atlas')
    expect(await list()).toMatchObject({ active: 201, more: 1 })
    expect((await list('?page=2')).sessions).toHaveLength(1)
    const { text } = await owner.get('/console/sessions')
    expect(text).toContain('1 more')
  })

  test('one whole: what it found, was shown, read, wrote, holds and got wrong', async () => {
    const id = await start('harbor')
    const memory = await agent.call('memory_write', {
      name: 'use-utc',
      kind: 'constraint',
      description: 'Times are UTC',
      body: 'Local times broke the tide tables.',
    })
    await agent.call('recall', { query: 'tide tables' })
    await agent.call('memory_read', { name: 'use-utc' })
    await house.app.database.db
      .insertInto('tasks')
      .values({
        id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY',
        project: 'atlas',
        title: 'Mend <gate>',
        plan: 'p',
      })
      .execute()
    const lease = new Date(Date.now() + 1_000_000)
    await house.app.database.db
      .updateTable('tasks')
      .set({ claimed_by: id, claim_token: 'T', lease_expires_at: lease, status: 'in_progress' })
      .execute()
    const { body } = await owner.json(`/console/sessions/${id}`)
    expect(body).not.toHaveProperty('trialsRecorded')
    expect(body).toMatchObject({
      session: { id, name: 'harbor', project: 'atlas', status: 'active' },
      live: true,
      duration: '<1m',
      findings: '',
      toolCalls: 4,
      memoryReads: 1,
      memoryWrites: 1,
      injectedItems: 1,
      readAfterInject: 1,
      claimedTasks: [{ title: 'Mend <gate>', planSlug: 'p', leaseLeft: '16m left' }],
      memoriesWritten: [{ id: memory['id'], name: 'use-utc', kind: 'constraint' }],
      mishaps: [],
    })
    expect(body.eventsByKind[0]).toEqual({ kind: 'tool.call', n: 4 })
    expect(body.timeline.at(-1)).toMatchObject({ kind: 'session.started', tone: 'system' })
    expect(body.interactions.map(({ kind }: { kind: string }) => kind)).toContain('tool.call')

    await agent.call('session_end', {
      findings: 'Done. **Bold** <script>alert(1)</script>',
      mishaps: ['ignored use-utc <b>twice</b>'],
      tokens: { input: 1200, output: 300 },
    })
    const ended = await owner.json(`/console/sessions/${id}`)
    expect(ended.body).toMatchObject({
      live: false,
      session: { status: 'completed', tokens: { input: 1200, output: 300, total: 1500 } },
      mishaps: [{ text: 'ignored use-utc <b>twice</b>' }],
      claimedTasks: [],
    })
    const { text } = await owner.get(`/console/sessions/${id.toLowerCase()}`)
    expect(text).toContain('<strong>Bold</strong>')
    expect(text).not.toMatch(/<script>alert|<b>twice/)
    expect(text).toContain('1,500')
    expect(text).toContain('1 of 1')
    expect(text).toContain('opus-4-7</span>')
    const peek = await owner.get(`/console/sessions/${id}?peek=1`)
    expect(peek.text).toContain('>Done. Bold &lt;script&gt;alert(1)&lt;/script&gt;</a></h2>')
    expect(peek.text).not.toContain('<!doctype html>')
  })

  test('nothing of one that left no summary but what it did', async () => {
    const { id } = await ambientSession(house.app.kernel, {
      client: 'claude-code',
      external_id: 'abc',
      project: 'atlas',
      cwd: '/x',
      source: 'startup',
    })
    await endByClient(house.app.kernel, { client: 'claude-code', external_id: 'abc' })
    const { body } = await owner.json(`/console/sessions/${id}`)
    expect(body).toMatchObject({ harness: 'claude-code', findings: '' })
    const { text } = await owner.get(`/console/sessions/${id}`)
    expect(text).toContain('It left no summary')
    expect(await names('?retained=no')).toHaveLength(1)
  })

  test('that nothing was lost, where no other session could have lost something', async () => {
    const done = await house.connect()
    await start('kept', 'atlas', done)
    await done.call('session_end', { session: 'kept', findings: 'the quokka holds' })
    const lost = 'Nothing was lost'
    const of = async (query: string) => (await owner.get(`/console/sessions?${query}`)).text
    expect(await of('retained=no')).toContain(lost)
    expect(await of('retained=no&w=7d')).toContain(lost)
    await another('silent', 'delta')
    for (const narrowed of ['status=completed', 'project=atlas', 'q=quokka']) {
      const text = await of(`retained=no&${narrowed}`)
      expect(text, narrowed).toContain('Nothing matches')
      expect(text, narrowed).not.toContain(lost)
    }
    expect((await owner.get('/console/projects/atlas?tab=sessions&retained=no')).text).toContain(
      lost,
    )
  })

  test.each(['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense'])('no page of %s', async (id) => {
    const { status, body } = await owner.json(`/console/sessions/${id}`)
    expect({ status, body }).toEqual({ status: 404, body: { error: `no session ${id}` } })
  })
})

test.each([
  [59, '<1m'],
  [14 * 60 + 59, '14m'],
  [2 * 3600 + 5 * 60, '2h 5m'],
  [2 * 3600, '2h'],
  [3 * 86_400 + 4 * 3600, '3d 4h'],
])('a span of %d seconds is %s', (seconds, words) => expect(spanOf(seconds)).toBe(words))

test.each([
  [0, 'expired'],
  [20, '1m left'],
  [22 * 60, '22m left'],
  [3700, '1h left'],
])('of %d seconds are left: %s', (seconds, words) => expect(leftOf(seconds)).toBe(words))
