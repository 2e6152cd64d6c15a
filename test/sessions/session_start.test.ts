import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ambientSession, endByClient, harvest } from '../../src/sessions/sessions.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('session_start', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const start = (args: object = {}, by = agent) => by.call('session_start', { ...args })
  const row = (id: string) =>
    house.app.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const ambient = (external_id: string, project = 'atlas', cwd = '/src/atlas') =>
    ambientSession(house.app.kernel, {
      client: 'claude-code',
      external_id,
      project,
      cwd,
      source: 'startup',
      model: 'm-hook',
    })

  test('makes a session, and the connection speaks for it', async () => {
    const started = await start({ project: 'atlas', model: 'm1', source: 'startup', cwd: '/x' })
    const { session_id: id } = started
    expect(started).toMatchObject({
      name: `sess/${id.slice(-8).toLowerCase()}`,
      project: 'atlas',
      scope: 'project "atlas", as given',
    })
    expect(started).not.toHaveProperty('resumed')
    expect(await row(id)).toMatchObject({
      status: 'active',
      model: 'm1',
      source: 'startup',
      cwd: '/x',
      ambient: false,
    })
    expect(await agent.call('notes_create', { title: 'Tide', body: 'x' })).toMatchObject({
      project: 'atlas',
    })
    expect(await house.events('session.started')).toMatchObject([
      { session_id: id, project: 'atlas', payload: {} },
    ])
  })

  test('is put down to the session that it made, as the calls that follow are', async () => {
    const { session_id: id } = await start({ project: 'atlas' })
    await agent.call('project_list')
    expect(await house.events('tool.call')).toMatchObject([
      { session_id: id, project: 'atlas', payload: { tool: 'session_start' } },
      { session_id: id, project: 'atlas', payload: { tool: 'project_list' } },
    ])
  })

  test('binds a connection anew: what follows is put down to the second session', async () => {
    const first = await start({ project: 'atlas', name: 'one' })
    const second = await start({ project: 'delta', name: 'two' })
    expect(second['session_id']).not.toBe(first['session_id'])
    expect(await agent.call('notes_create', { title: 'Tide', body: 'x' })).toMatchObject({
      project: 'delta',
    })
  })

  test('binds one connection and no other', async () => {
    await start({ project: 'atlas' })
    const other = await house.connect()
    await expect(other.call('notes_create', { title: 'Tide', body: 'x' })).rejects.toThrow(
      'ambiguous scope',
    )
  })

  describe('with a name', () => {
    test.each(['active', 'completed', 'expired'])('resumes what is %s', async (status) => {
      const { session_id: id } = await start({ project: 'atlas', name: 'harbor', model: 'm1' })
      await house.app.database.db.updateTable('sessions').set({ status }).execute()
      const other = await house.connect()
      expect(await start({ name: ' harbor ', model: 'm2' }, other)).toMatchObject({
        session_id: id,
        name: 'harbor',
        project: 'atlas',
        scope: 'project "atlas", to which the session "harbor" belongs',
        resumed: true,
      })
      expect(await row(id)).toMatchObject({ status: 'active', model: 'm2' })
      const [, resumed] = await house.events('session.started')
      expect(resumed).toMatchObject({ session_id: id, payload: { resumed: true } })
      expect(await other.call('notes_create', { title: 'Tide', body: 'x' })).toMatchObject({
        project: 'atlas',
      })
    })

    test('keeps its model when none is told', async () => {
      const { session_id: id } = await start({ name: 'harbor', model: 'm1' })
      await start({ name: 'harbor' })
      expect(await row(id)).toMatchObject({ model: 'm1' })
    })

    test('takes the session to the place where it is resumed, with what it found', async () => {
      const { session_id: id } = await start({ project: 'atlas', name: 'harbor' })
      await agent.call('session_update', { findings: 'the quokka leaks' })
      expect(await start({ project: 'delta', name: 'harbor' })).toMatchObject({ project: 'delta' })
      expect(await row(id)).toMatchObject({ project: 'delta' })
      const found = await agent.call('recall', { query: 'quokka', scope: 'sessions' })
      expect(found['hits']).toMatchObject([{ id, project: 'delta' }])
    })

    test('means nothing across a fence: a name of a fenced project begins with the project', async () => {
      await house.inside('crypt', 'sealed')
      const inside = await start({ project: 'crypt', name: 'keeper' })
      expect(inside).toMatchObject({ name: 'crypt/keeper', project: 'crypt' })
      await agent.call('session_update', { findings: 'the quokka sleeps in crypt' })

      const other = await start({ project: 'atlas', name: 'keeper' }, await house.connect())
      expect(other).toMatchObject({ name: 'keeper', project: 'atlas' })
      expect(other).not.toHaveProperty('resumed')
      expect(JSON.stringify(other)).not.toContain('quokka')
      for (const name of ['crypt/keeper', 'crypt/nobody']) {
        await expect(start({ project: 'atlas', name }, await house.connect())).rejects.toThrow(
          'session_start: a name that begins with "crypt/" is of a session in project crypt: pass ' +
            'project=crypt, or choose another name',
        )
      }
      expect(await row(inside['session_id'])).toMatchObject({ project: 'crypt' })
      const outside = await house.inside('atlas')
      expect(await outside.call('recall', { query: 'quokka' })).toMatchObject({ hits: [] })
    })

    test('resumes a session of a fenced project with the project, or by its whole name', async () => {
      await house.inside('crypt', 'sealed')
      const { session_id } = await start({ project: 'crypt', name: 'keeper' })
      const all = [
        { project: 'crypt', name: 'keeper' },
        { project: 'crypt', name: 'crypt/keeper' },
        { name: 'crypt/keeper' },
      ]
      for (const args of all) {
        const again = await start(args, await house.connect())
        expect(again).toMatchObject({ session_id, name: 'crypt/keeper', resumed: true })
      }
    })

    test('leaves an open session where it is when its name is used behind a fence', async () => {
      await house.inside('ledger', 'confidential')
      const open = await start({ project: 'atlas', name: 'harbor' })
      await agent.call('session_update', { findings: 'the quokka leaks' })

      const inside = await start({ project: 'ledger', name: 'harbor' }, await house.connect())

      expect(inside).toMatchObject({ name: 'ledger/harbor', project: 'ledger' })
      expect(inside['session_id']).not.toBe(open['session_id'])
      expect(await row(open['session_id'])).toMatchObject({
        project: 'atlas',
        status: 'active',
        findings: 'the quokka leaks',
      })
      const reader = await house.inside('atlas')
      const found = await reader.call('recall', { query: 'quokka', scope: 'sessions' })
      expect(found['hits']).toMatchObject([{ id: open['session_id'], project: 'atlas' }])
    })

    test('is one session when two begin under it at once', async () => {
      const agents = await Promise.all([house.connect(), house.connect(), house.connect()])
      const all = await Promise.all(agents.map((each) => start({ name: 'race' }, each)))
      expect(new Set(all.map(({ session_id }) => session_id)).size).toBe(1)
      expect(all.filter(({ resumed }) => resumed)).toHaveLength(2)
    })

    test('is refused when the name is no line', async () => {
      await expect(start({ name: 'a\nb' })).rejects.toThrow('name must be one line')
      await expect(start({ name: 'x'.repeat(256) })).rejects.toThrow('at most 255 bytes')
    })

    test('is refused when the name is an id, which would lead to another session than the name', async () => {
      const { session_id: id, name } = await start({ project: 'atlas' })
      const other = await house.connect()
      await expect(start({ name: id, project: 'atlas' }, other)).rejects.toThrow(
        `session_start: name "${id}" is an id: to go on with the session of that id pass its name here, ` +
          `or session="${id}" to each call`,
      )
      expect(await start({ name, project: 'atlas' }, other)).toMatchObject({ session_id: id })
    })
  })

  describe('beside an ambient session of the same directory', () => {
    test('takes it over when it is the only one and no name is given', async () => {
      const { id, name } = await ambient('0199AA10-5b7e')
      expect(name).toMatch(/^cc\/\w{4}$/)
      const started = await start({ cwd: '/src/atlas', project: 'delta', model: 'm1' })
      expect(started).toMatchObject({ session_id: id, name, project: 'delta', resumed: true })
      expect(await row(id)).toMatchObject({ ambient: true, project: 'delta', model: 'm1' })
      expect((await house.events('session.started')).map(({ payload }) => payload)).toEqual([
        { ambient: true },
        { resumed: true, adopted: true },
      ])
    })

    test('keeps the project of the ambient one when the place tells none', async () => {
      const { id } = await ambient('one')
      expect(await start({ cwd: '/src/atlas' })).toMatchObject({ session_id: id, project: 'atlas' })
    })

    test.each([{}, { name: 'keeper' }])(
      'leaves it with what it found when the agent goes behind a fence, with %j',
      async (named) => {
        await house.inside('ledger', 'confidential')
        const { id } = await ambient('one')
        const client = { client: 'claude-code', external_id: 'one' }
        await harvest(house.app.kernel, { id }, { findings: 'The quokka in src/tide.ts leaks.' })

        const started = await start({ cwd: '/src/atlas', project: 'ledger', ...named })

        expect(started).toMatchObject({ project: 'ledger' })
        expect(started['name']).toMatch('name' in named ? /^ledger\/keeper$/ : /^ledger\/cc\/\w+$/)
        expect(started).not.toHaveProperty('resumed')
        expect(await row(id)).toMatchObject({
          project: 'atlas',
          status: 'completed',
          findings: '(auto-harvested) The quokka in src/tide.ts leaks.',
        })
        // What the client says from now on stays behind the fence.
        const last = { findings: 'Rewrote the books in src/ledger.ts by hand.' }
        await endByClient(house.app.kernel, { ...client, ...last })
        const { db } = house.app.database
        const told = await db.selectFrom('sessions').select(['project', 'findings']).execute()
        for (const { project, findings } of told) {
          if (findings.includes('books')) expect(project).toBe('ledger')
        }
        expect(told.some(({ findings }) => findings.includes('books'))).toBe(true)
      },
    )

    test('leaves it, too, when the agent takes up a session behind a fence', async () => {
      const former = await house.inside('ledger', 'confidential')
      await start({ project: 'ledger', name: 'keeper' }, former)
      await former.call('session_end', { findings: 'Half of the books are rewritten.' })
      const { id } = await ambient('one')

      const started = await start({ cwd: '/src/atlas', project: 'ledger', name: 'keeper' })

      expect(started).toMatchObject({ project: 'ledger', resumed: true })
      expect(await row(id)).toMatchObject({ project: 'atlas', status: 'completed' })
      // What the client says from now on stays behind the fence.
      const last = { findings: 'Account 4711 is empty.' }
      await endByClient(house.app.kernel, { client: 'claude-code', external_id: 'one', ...last })
      const { db } = house.app.database
      const told = await db.selectFrom('sessions').select(['project', 'findings']).execute()
      const where = told.filter(({ findings }) => findings.includes('4711'))
      expect(where.map(({ project }) => project)).toEqual(['ledger'])
    })

    test.each([
      ['two are there', async () => void (await Promise.all([ambient('one'), ambient('two')]))],
      [
        'it is of another directory',
        async () => void (await ambient('one', 'atlas', '/src/atlas2')),
      ],
      [
        'it has ended',
        async () => {
          await ambient('one')
          await endByClient(house.app.kernel, { client: 'claude-code', external_id: 'one' })
        },
      ],
    ])('makes a fresh one when %s', async (_, arrange) => {
      await arrange()
      const started = await start({ cwd: '/src/atlas', project: 'atlas' })
      expect(started).not.toHaveProperty('resumed')
      expect(started['name']).toMatch(/^sess\//)
      expect(await row(started['session_id'])).toMatchObject({ client_session_id: '' })
    })

    test('a new named one ends with the client, as the ambient one does', async () => {
      const { id } = await ambient('one')
      const named = await start({ cwd: '/src/atlas', name: 'harbor' })
      expect(named['session_id']).not.toBe(id)
      expect(await row(named['session_id'])).toMatchObject({
        external_client: 'claude-code',
        client_session_id: 'one',
        ambient: false,
      })
      const ended = { client: 'claude-code', external_id: 'one', reason: 'logout' }
      expect(await endByClient(house.app.kernel, ended)).toBe(2)
      expect(await row(named['session_id'])).toMatchObject({ status: 'completed' })
      expect(await row(id)).toMatchObject({ status: 'completed' })
      const ends = await house.events('session.ended')
      expect(ends.map(({ session_id, payload }) => ({ session_id, ...payload }))).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ session_id: id, ambient: true, reason: 'logout' }),
          expect.objectContaining({
            session_id: named['session_id'],
            linked: true,
            reason: 'logout',
          }),
        ]),
      )
    })
  })

  describe('of a name that another client began', () => {
    const end = (external_id: string) =>
      endByClient(house.app.kernel, { client: 'claude-code', external_id, reason: 'logout' })
    /** A client begins the session in its directory. */
    const began = async (name = 'harbor') => {
      await ambient('first', 'atlas', '/a/atlas')
      return start({ name, cwd: '/a/atlas' })
    }

    test.each([
      ['with a client of its own', { cwd: '/b/atlas' }],
      ['without one', {}],
    ])('goes on with who takes it up %s when the first client ends', async (_, where) => {
      const { session_id } = await began()
      await ambient('second', 'atlas', '/b/atlas')
      const other = await house.connect()
      expect(await start({ name: 'harbor', ...where }, other)).toMatchObject({
        session_id,
        resumed: true,
      })
      const { id } = await other.call('tasks_add', { title: 'Dredge' })
      const { claim_token } = await other.call('tasks_claim', { id })

      expect(await end('first')).toBe(1)

      expect(await row(session_id)).toMatchObject({ status: 'active' })
      expect(await other.call('tasks_update', { id, status: 'done', claim_token })).toMatchObject({
        status: 'done',
      })
    })

    test('ends with who takes it up', async () => {
      const { session_id } = await began()
      await end('first')
      await ambient('second', 'atlas', '/b/atlas')
      await start({ name: 'harbor', cwd: '/b/atlas' }, await house.connect())
      expect(await end('second')).toBe(2)
      expect(await row(session_id)).toMatchObject({ status: 'completed' })
    })

    test('stays with its client when that one names it again without its place', async () => {
      const { session_id } = await began()
      await start({ name: 'harbor' })
      expect(await end('first')).toBe(2)
      expect(await row(session_id)).toMatchObject({ status: 'completed' })
    })

    test('is of one of them when two begin it at once', async () => {
      await Promise.all([
        ambient('first', 'atlas', '/a/atlas'),
        ambient('second', 'atlas', '/b/atlas'),
      ])
      const other = await house.connect()
      const both = await Promise.all([
        start({ name: 'race', cwd: '/a/atlas' }),
        start({ name: 'race', cwd: '/b/atlas' }, other),
      ])
      const [{ session_id } = { session_id: '' }] = both
      const { client_session_id: winner } = await row(session_id)
      const taker = both[0]?.['resumed'] ? 'first' : 'second'
      expect(winner).toBe(taker)
    })
  })

  test('hands over the briefing of the project and says what it told', async () => {
    const writer = await house.inside('atlas')
    const { id } = await writer.call('memory_write', {
      name: 'use-utc',
      kind: 'constraint',
      description: 'Times are UTC everywhere',
      body: 'Local times broke the tide tables twice.',
    })
    const { briefing, session_id } = await start({ project: 'atlas' })
    expect(briefing).toMatch(/^<loam-briefing id="[0-9a-f]{16}">/)
    expect(briefing).toContain('use-utc')
    expect(await house.events('retrieval.injected')).toMatchObject([
      {
        session_id,
        project: 'atlas',
        payload: { hook: 'session-start', item_ids: [id], content: briefing },
      },
    ])
  })

  test('starts without its briefing when that fails, and says so in the log alone', async () => {
    await house.app.database.db.schema.alterTable('families').renameTo('families_away').execute()
    try {
      expect(await start({ project: 'atlas' })).toMatchObject({ briefing: '', project: 'atlas' })
    } finally {
      await house.app.database.db.schema.alterTable('families_away').renameTo('families').execute()
    }
  })

  test('is refused for a source that is none', async () => {
    await expect(start({ source: 'boot' })).rejects.toThrow(
      'invalid source "boot": valid values are startup, resume, clear, compact, explicit',
    )
  })
})
