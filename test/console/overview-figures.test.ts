import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findCoverage } from '../../src/console/overview/queries.ts'
import { record } from '../../src/kernel/events.ts'
import { newId } from '../../src/kernel/id.ts'
import { retrievalInjected } from '../../src/recall/recall.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import { rebuildShown } from '../../src/usage/usage.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

describe('the figures of the overview', () => {
  let house: House
  let owner: Owner
  const memories: Record<string, string> = {}
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'writer', project: 'atlas' })
    for (const name of ['tide', 'reef', 'quay', 'kelp']) {
      const { id } = await agent.call('memory_write', {
        name,
        kind: name === 'tide' ? 'constraint' : 'gotcha',
        description: `of ${name}`,
        body: `quokka ${name}`,
      })
      memories[name] = String(id)
    }
    await house.app.kernel.telemetry.flush()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  /** Puts memories before a session, so long ago. */
  const show = async (ago: string, session: string, names: string[], tokens = 0) => {
    await house.moveClock(`-${ago}`)
    await showNow(session, names, tokens)
    await house.moveClock('0')
  }
  const showNow = (session: string, names: string[], tokens = 0) =>
    record(house.app.kernel, retrievalInjected, {
      by: { session, model: '' },
      project: 'atlas',
      item: null,
      payload: {
        hook: 'session-start',
        content: '',
        item_ids: names.map((name) => memories[name]!),
        emitted_estimated_tokens: tokens,
      } as never,
    })
  const json = async (query = '') => (await owner.json(`/console/${query}`)).body
  const vital = async (query: string, id: string) =>
    (await json(query)).vitals.find((one: { id: string }) => one.id === `overview-${id}`)
  const changed = async (id: string, query = '?w=7d') => (await vital(query, id)).delta

  test('count what was put before agents in the window, to the minute', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('atlas')]
    await show('10 minutes', one, ['tide', 'reef'], 40)
    await show('1438 minutes', two, ['tide'], 10)
    await show('1442 minutes', two, ['quay'], 5)
    await show('3 days', two, ['tide', 'quay'], 5)
    await show('40 days', one, ['kelp'], 5)
    expect(await json()).toMatchObject({
      injections: 3,
      injectedTokens: 50,
      sessionsReached: 2,
      memoriesSurfaced: 2,
      activeMemories: 4,
      reachRate: 50,
    })
    expect(await json('?w=7d')).toMatchObject({ injections: 6, memoriesSurfaced: 3, reachRate: 75 })
    expect(await json('?w=30d')).toMatchObject({ injections: 6, sessionsReached: 2 })
    expect(await json('?w=all')).toMatchObject({
      injections: 7,
      injectedTokens: 65,
      memoriesSurfaced: 4,
      reachRate: 100,
    })
    for (const w of ['24h', '7d', '30d', 'all']) {
      const { trend, injections } = await json(`?w=${w}`)
      const sum = trend.reduce((total: number, { count }: { count: number }) => total + count, 0)
      expect(sum, w).toBe(injections)
    }
    expect((await json()).trend).toHaveLength(25)
    expect((await json('?w=7d')).trend).toHaveLength(8)
  })

  test('name what was put before agents most in the window, not ever', async () => {
    const session = await house.session('atlas')
    for (let n = 0; n < 3; n++) await show('10 days', session, ['kelp'])
    await show('2 hours', session, ['reef', 'tide'])
    await show('1 hour', session, ['reef'])
    const top = (await json()).topInjected
    expect(top.map(({ name, count }: Record<string, unknown>) => [name, count])).toEqual([
      ['reef', 2],
      ['tide', 1],
    ])
    expect((await json('?w=30d')).topInjected[0]).toMatchObject({ name: 'kelp', count: 3 })
    expect((await json('?w=all')).topInjected[0]).toMatchObject({ name: 'kelp', count: 3 })
  })

  test('move against the window before', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('atlas')]
    await show('10 days', one, ['tide'])
    await show('2 days', one, ['tide', 'reef'])
    await show('1 day', two, ['tide'])
    expect(await changed('reach')).toEqual({ text: '▲ 25 pt', good: true })
    expect(await changed('injections')).toMatchObject({ text: '▲ 2' })
    expect(await changed('reached')).toMatchObject({ text: '▲ 1' })
    expect(await changed('reach', '?w=all'), 'there is none').toBeUndefined()
  })

  test('leave out memories that are no longer active, though they were shown', async () => {
    await show('1 hour', await house.session('atlas'), ['tide', 'reef'])
    const agent = await house.connect()
    await agent.call('memory_delete', { name: 'tide', project: 'atlas' })
    await agent.call('memory_delete', { name: 'reef', project: 'atlas' })
    expect(await json()).toMatchObject({ injections: 2, memoriesSurfaced: 0 })
  })

  test('are counted as they happen as they would be counted from the log', async () => {
    const sessions = [await house.session('atlas'), await house.session('atlas')]
    // In about the order of their times: a batch may be written late.
    const ages = [
      '70 days',
      '65 days',
      '6 days',
      '5 days',
      '70 minutes',
      '6 hours',
      '2 hours',
      '5 minutes',
    ]
    for (const [n, ago] of ages.entries()) {
      await show(ago, sessions[n % 2]!, n % 3 === 0 ? ['tide', 'reef'] : ['quay'], n)
    }
    const { db } = house.app.kernel
    const kept = async () => ({
      totals: (
        await sql`select unit, since, sum(injections) i, sum(tokens) t, sum(memories) m, sum(sessions) s
          from shown_totals group by 1, 2 order by 1, 2`.execute(db)
      ).rows,
      lately: (
        await sql`select what, key, last_at, hours, days from shown_lately order by 1, 2`.execute(
          db,
        )
      ).rows,
      left: (await sql`select * from session_kept order by 1`.execute(db)).rows,
    })
    await house.app.kernel.telemetry.flush()
    const before = await kept()
    await rebuildShown(house.app.kernel)
    const after = await kept()
    expect(after.lately).toEqual(before.lately)
    expect(after.left).toEqual(before.left)
    expect(after.totals).toEqual(before.totals)
  })

  test('are the same whichever of several transactions came first', async () => {
    const session = await house.session('atlas')
    await Promise.all(
      Array.from({ length: 12 }, () =>
        record(house.app.kernel, retrievalInjected, {
          id: newId(new Date()),
          by: { session, model: '' },
          project: 'atlas',
          item: null,
          payload: { source: 'recall', query: 'x', item_ids: [memories['tide']!] } as never,
        }),
      ),
    )
    expect(await json()).toMatchObject({ injections: 12, memoriesSurfaced: 1, sessionsReached: 1 })
    const { rows } = await sql`
      select sum(memories)::int as memories, sum(sessions)::int as sessions from shown_totals
      where unit = 'day'`.execute(house.app.kernel.db)
    expect(rows).toEqual([{ memories: 1, sessions: 1 }])
  })

  test('say what sessions left behind, by channel, and what they left none of', async () => {
    const agent = await house.connect()
    await agent.call('session_start', { name: 'finder', project: 'atlas' })
    await agent.call('notes_create', { title: 'Found', body: 'x' })
    await agent.call('session_end', { findings: 'The tide turns at noon.' })
    await house.session('atlas')
    const body = await json()
    expect(body).toMatchObject({ covered: 2, covTotal: 3, coverage: 67 })
    expect(body.coverageRows).toEqual([
      { label: 'findings', count: 1, pct: 33 },
      { label: 'memories', count: 1, pct: 33 },
      { label: 'notes', count: 1, pct: 33 },
    ])
    const { body: kept } = await owner.json('/console/sessions?retained=yes')
    expect(kept.sessions).toHaveLength(2)
  })

  test('say what sessions left behind on a day of 25 hours, in each of them', async () => {
    const { db } = house.app.kernel
    // What is kept by days is kept by those of the owner's zone.
    await sql`select rebuild_shown('Europe/Berlin')`.execute(db)
    for (const at of ['2025-10-25T22:30Z', '2025-10-26T10:30Z', '2025-10-26T22:30Z'])
      await sql`insert into session_kept (session_id, created_at, findings, memories, notes, trials)
        values (${at}, ${at}::timestamptz, true, 0, 0, 0)`.execute(db)
    const ask = async (unit: 'hour' | 'day', since: string, before: string) =>
      (
        await findCoverage(db, ownerScope(), {
          ...{ unit, zone: 'Europe/Berlin' },
          ...{ since: new Date(since), before: new Date(before) },
        })
      ).reduce(
        (sums, { since, total }) => {
          if (since !== null && since < new Date('2025-10-27T00:00Z')) sums.within += total
          if (since === null) sums.earlier += total
          return sums
        },
        { within: 0, earlier: 0 },
      )
    expect(await ask('day', '2025-10-26T10:00Z', '2025-10-20T10:00Z')).toEqual({
      ...{ within: 2, earlier: 1 },
    })
    expect(await ask('day', '2025-10-27T10:00Z', '2025-10-25T23:00Z')).toEqual({
      ...{ within: 0, earlier: 2 },
    })
    await sql`select rebuild_shown('UTC')`.execute(db)
  })

  test('count what there is, by kind and status', async () => {
    const agent = await house.connect()
    await agent.call('session_start', { name: 'worker', project: 'atlas' })
    for (const title of ['a', 'b', 'c']) {
      const { id } = await agent.call('tasks_add', { title })
      if (title !== 'a') await agent.call('tasks_claim', { id })
      if (title === 'c') await agent.call('tasks_update', { id, status: 'done' })
    }
    expect(await json()).toMatchObject({
      memories: 4,
      memByKind: [
        { kind: 'constraint', n: 1 },
        { kind: 'gotcha', n: 3 },
      ],
      notes: 0,
      sessTotal: 2,
      sessActive: 2,
      tasksOpen: 1,
      tasksInProg: 1,
      tasksDone: 1,
      tasksDropped: 0,
      projects: [
        { slug: 'atlas', live: 2, sessions: 2, openTasks: 2, memories: 4, hasReach: true },
      ],
    })
    const { text } = await owner.get('/console/')
    expect(text).toMatch(
      /id="figure-overview-sessions"[\s\S]*?href="\/console\/sessions\?w=all">2</,
    )
  })

  test('lead on with the window that they were counted in', async () => {
    expect((await vital('?w=7d', 'continuity')).href).toBe('/console/sessions?w=7d&retained=no')
    for (const { href } of (await json('?w=30d')).vitals) {
      expect((await owner.get(href.split('#')[0])).status, href).toBe(200)
    }
  })

  test('count what nobody was shown for 45 days as going stale', async () => {
    const session = await house.session('atlas')
    expect(await json()).toMatchObject({ staleDays: 45, staleUnseen: 0 })
    await show('5 days', session, ['tide'])
    await house.moveClock('41 days')
    expect((await json()).staleUnseen).toBe(0)
    await house.moveClock('46 days')
    expect((await json()).staleUnseen).toBe(4)
    await showNow(session, ['tide'])
    expect((await json()).staleUnseen).toBe(3)
  })

  test('are bounded by a window that is one of four', async () => {
    expect(await json('?w=7d')).toMatchObject({
      window: '7d',
      windowLabel: 'last 7 days',
      windows: [
        { key: '24h', label: 'last 24 hours', active: false },
        { key: '7d', active: true },
        { key: '30d', active: false },
        { key: 'all', label: 'all time', active: false },
      ],
    })
    const { status, body } = await owner.json('/console/?w=1y')
    expect(status).toBe(400)
    expect(body.error).toContain('invalid w "1y": valid values are 24h, 7d, 30d, all')
  })

  test('end with the last twelve events, calls only where there is nothing else', async () => {
    const { recent } = await json()
    expect(recent).toHaveLength(10)
    expect(recent.filter(({ kind }: { kind: string }) => kind === 'memory.written')).toHaveLength(4)
    const agent = await house.connect()
    for (let n = 0; n < 12; n++) {
      await agent.call('notes_create', { title: `Note ${n}`, body: 'x', project: 'atlas' })
    }
    const later = (await json()).recent
    expect(later).toHaveLength(12)
    expect(new Set(later.map(({ kind }: { kind: string }) => kind))).toEqual(
      new Set(['note.written']),
    )
  })
})
