import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgetPulse } from '../../src/usage/usage.ts'
import type { Agent, Answer } from '../helpers/agent.ts'
import { callHook } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { add } from '../tasks/given.ts'
import { ownerOf, type Owner } from './owner.ts'

describe('the page of this moment', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const now = async (query = ''): Promise<Answer> => (await owner.json(`/console/now${query}`)).body
  const agentOf = (body: Answer, id: string): Answer =>
    body['agents'].find((one: Answer) => one['id'] === id)
  const start = async (name: string, project: string): Promise<[string, Agent]> => {
    const agent = await house.connect()
    const model = 'claude-opus-4-7-20260301'
    const { session_id } = await agent.call('session_start', { name, project, model })
    return [session_id, agent]
  }

  test('is quiet in an empty house', async () => {
    const body = await now()
    expect(body).toMatchObject({
      agentsLive: 0,
      tasksInFlight: 0,
      plansMoving: 0,
      eventsLastHour: 0,
      scopes: [],
      agents: [],
      silent: [],
      looseEnds: [],
      plans: [],
      upNext: [],
      wire: [],
    })
    const { pulse, generated } = body
    expect(pulse).toHaveLength(12)
    expect(Date.parse(generated) - Date.parse(pulse[11].label)).toBeLessThan(300_000)
    expect(Date.parse(pulse[11].label) - Date.parse(pulse[0].label)).toBe(55 * 60_000)
  })

  test('tells of each agent who it is, what it carries, does and has made', async () => {
    const [id, agent] = await start('harbor', 'atlas')
    const task = await add(agent, 'Webhook drops rows', { plan: 'webhooks' })
    await agent.call('memory_write', { name: 'tides', description: 'd', kind: 'gotcha', body: 'b' })
    await agent.call('tasks_claim', { id: task, lease_seconds: 724 })
    await agent.call('tasks_claim', { id: task, lease_seconds: 724 })
    await agent.call('recall', { query: 'feature flags' })

    const body = await now()
    expect(body).toMatchObject({
      agentsLive: 1,
      tasksInFlight: 1,
      scopes: [{ slug: 'atlas', live: 1, active: false }],
    })
    expect(agentOf(body, id)).toMatchObject({
      name: 'harbor',
      project: 'atlas',
      model: 'claude-opus-4-7-20260301',
      agent: 'opus-4-7',
      fresh: 'hot',
      duration: '<1m',
      favorite: false,
      claims: [
        {
          id: task,
          title: 'Webhook drops rows',
          project: 'atlas',
          planSlug: 'webhooks',
          leaseLeft: '12m left',
        },
      ],
      last: { text: 'recall “feature flags”' },
      trail: [
        { kind: 'task.transition', summary: 'claimed a task', item: 'Webhook drops rows' },
        { kind: 'memory.written', itemId: expect.any(String) },
        { kind: 'task.transition', summary: 'added a task', itemId: task },
      ],
    })
    expect(agentOf(body, id)).not.toHaveProperty('tokens')
    expect(body['plans']).toMatchObject([
      {
        project: 'atlas',
        slug: 'webhooks',
        total: 1,
        done: 0,
        inFlight: 1,
        claimable: 0,
        donePct: 0,
        doingPct: 100,
        moving: true,
      },
    ])
  })

  test('tells of what happened at one moment what was noted last', async () => {
    const [id] = await start('harbor', 'atlas')
    const ts = new Date(Date.now() + 1_000)
    const both = (['tool.call', 'recall.miss'] as const).map((kind) => ({
      ...{ id: `01K9ZC4T7Q8V2M5N6P3R00000${kind === 'tool.call' ? 2 : 1}`, kind, ts },
      ...{ transport: true, session_id: id, project: 'atlas' },
      payload: { tool: 'recall', args: { query: 'herons' }, query: 'herons' },
    }))
    for (const events of [both, both.toReversed()]) {
      await house.app.database.db.deleteFrom('events').where('ts', '=', ts).execute()
      for (const event of events)
        await house.app.database.db.insertInto('events').values(event).execute()
      expect(agentOf(await now(), id)).toMatchObject({ last: { text: 'recall “herons”' } })
    }
  })

  test('says by its name what a call names by its id, and by the id what is gone', async () => {
    const [id, agent] = await start('harbor', 'atlas')
    const task = await add(agent, 'Webhook drops rows')
    await agent.call('tasks_claim', { id: task })
    expect(agentOf(await now(), id)['last'].text).toBe('tasks_claim Webhook drops rows')
    const note = await agent.call('notes_create', { title: 'Ebb', body: 'b', project: 'atlas' })
    await agent.call('notes_delete', { id: note.id })
    expect(agentOf(await now(), id)['last'].text).toBe(`notes_delete ${note.id}`)
  })

  test('tells of an agent that its hooks announced, and of its tokens and star', async () => {
    await callHook(house, 'session-start', {
      session_id: 'c0ffee',
      client: 'claude-code',
      cwd: '/home/bob/atlas',
      source: 'startup',
      model: 'claude-haiku-5',
    })
    const { agents } = await now()
    const { id } = agents[0]
    await house.app.database.db
      .updateTable('sessions')
      .set({ output_tokens: 40, cached_tokens: 2, favorite: true })
      .where('id', '=', id)
      .execute()
    expect((await now())['agents']).toMatchObject([
      { harness: 'claude-code', agent: 'cc haiku-5', tokens: 42, favorite: true, claims: [] },
    ])
  })

  test('counts the events of the house and of each agent in twelve times five minutes', async () => {
    const { db } = house.app.database
    const [harbor, agent] = await start('harbor', 'atlas')
    const [quay] = await start('quay', 'delta')
    await agent.call('recall', { query: 'x' })
    await house.app.kernel.telemetry.flush()
    const { rows } = await sql<{ session: string; n: number }>`
      select coalesce(session_id, '') as session, count(*)::int as n from events group by 1`.execute(
      db,
    )
    const counted = Object.fromEntries(rows.map(({ session, n }) => [session, n]))
    const all = sum(rows.map(({ n }) => n))
    const body = await now()
    expect([body['eventsLastHour'], sum(countsOf(body))]).toEqual([all, all])
    for (const id of [harbor, quay]) {
      const { pulse, events } = agentOf(body, id)
      expect([pulse.length, sum(pulse), events]).toEqual([12, counted[id], counted[id]])
    }
    expect(await now('?scope=delta')).toMatchObject({ eventsLastHour: all, agentsLive: 1 })

    await house.moveClock('30 minutes')
    expect(sum(countsOf(await now()).slice(0, 11))).toBe(all)
    await house.moveClock('66 minutes')
    expect((await now())['eventsLastHour']).toBe(0)
    await house.moveClock('2 hours 10 minutes')
    await forgetPulse(house.app.kernel)
    expect(await db.selectFrom('pulse').selectAll().execute()).toEqual([])
  })

  test('tells hot, warm and quiet agents from those that fell silent', async () => {
    const [id, agent] = await start('harbor', 'atlas')
    const task = await add(agent, 'A')
    await agent.call('tasks_claim', { id: task, lease_seconds: 7_200 })
    await house.app.kernel.telemetry.flush()
    const freshAfter = async (silence: string): Promise<string> => {
      await house.moveClock(silence)
      return agentOf(await now(), id)['fresh']
    }
    expect(await freshAfter('4 minutes')).toBe('hot')
    expect(await freshAfter('6 minutes')).toBe('warm')
    expect(await freshAfter('16 minutes')).toBe('quiet')
    await house.moveClock('46 minutes')
    expect(await now()).toMatchObject({
      agentsLive: 0,
      agents: [],
      silent: [{ id, name: 'harbor', silent: '46m', resting: false, claims: [{ id: task }] }],
      looseEnds: [{ id: task, state: 'quiet-holder', releasable: false }],
    })
  })

  test('names what is in progress and carried by nobody, and why', async () => {
    const [, alice] = await start('harbor', 'atlas')
    const [, bob] = await start('quay', 'delta')
    const carried = await add(alice, 'Carried')
    await alice.call('tasks_claim', { id: carried, lease_seconds: 7_200 })
    const lapsed = await add(alice, 'Lapsed', { plan: 'tidy' })
    await alice.call('tasks_claim', { id: lapsed, lease_seconds: 60 })
    const claimless = await add(bob, 'Claimless')
    await bob.call('tasks_update', { id: claimless, status: 'in_progress' })
    await house.moveClock('3 minutes')

    const body = await now()
    expect(body['tasksInFlight']).toBe(3)
    expect(body['looseEnds']).toMatchObject([
      {
        id: claimless,
        title: 'Claimless',
        project: 'delta',
        state: 'claimless',
        releasable: false,
      },
      {
        id: lapsed,
        project: 'atlas',
        planSlug: 'tidy',
        holder: 'harbor',
        state: 'lapsed',
        leaseLeft: 'expired',
        releasable: true,
      },
    ])
    expect(await now('?scope=delta')).toMatchObject({
      tasksInFlight: 1,
      looseEnds: [{ id: claimless }],
    })
    expect(await now('?scope=global')).toMatchObject({
      tasksInFlight: 0,
      looseEnds: [],
      agents: [],
    })
  })

  test('gives a lapsed task back and leads back to itself, but takes none that is carried again', async () => {
    const [, alice] = await start('harbor', 'atlas')
    const id = await add(alice, 'Rows')
    const { claim_token } = await alice.call('tasks_claim', { id, lease_seconds: 60 })
    await house.moveClock('3 minutes')
    const { text } = await owner.get('/console/now?scope=atlas')
    expect(text).toContain(`action="/console/tasks/${id}/release"`)
    const form = { next: '/console/now?scope=atlas', lapsed: '1' }

    await alice.call('tasks_claim', { id, claim_token, lease_seconds: 60 })
    const refused = await owner.post(`/console/tasks/${id}/release`, form)
    expect(refused.status).toBe(303)
    expect(refused.headers.location).toMatch(/^\/console\/now\?scope=atlas&error=.*carried\+again/)

    await house.moveClock('6 minutes')
    const released = await owner.post(`/console/tasks/${id}/release`, form)
    expect([released.status, released.headers.location]).toEqual([
      303,
      '/console/now?scope=atlas&notice=Released+%E2%80%9CRows%E2%80%9D.',
    ])
    expect(await now()).toMatchObject({ looseEnds: [], upNext: [{ id }] })
    const again = await owner.post(`/console/tasks/${id}/release`, form)
    expect(again.headers.location).toMatch(/^\/console\/now\?scope=atlas&error=.*not\+claimed/)
  })

  test('shows what may be begun in all projects, the oldest first, with what each unblocks', async () => {
    const [, alice] = await start('harbor', 'atlas')
    const [, bob] = await start('quay', 'delta')
    const first = await add(alice, 'First')
    const second = await add(bob, 'Second', { plan: 'tidy' })
    const third = await add(alice, 'Third', { depends_on: [first] })
    const fourth = await add(alice, 'Fourth', { depends_on: [first, third] })
    expect((await now())['upNext']).toMatchObject([
      {
        id: first,
        title: 'First',
        project: 'atlas',
        unblocks: 2,
        waiting: [{ id: third, title: 'Third' }, { id: fourth }],
      },
      { id: second, project: 'delta', planSlug: 'tidy', unblocks: 0, waiting: [] },
    ])
    await alice.call('tasks_update', { id: first, status: 'done' })
    expect((await now('?scope=atlas'))['upNext']).toMatchObject([{ id: third, unblocks: 1 }])
  })

  test('shows unfinished plans, the last moved first, and which of them rest', async () => {
    const [, alice] = await start('harbor', 'atlas')
    const done = await add(alice, 'D', { plan: 'finished' })
    await alice.call('tasks_update', { id: done, status: 'done' })
    await add(alice, 'A', { plan: 'older' })
    await add(alice, 'B', { plan: 'older', depends_on: [done] })
    await house.moveClock('25 hours')
    await add(alice, 'C', { plan: 'newer', project: 'delta' })
    const body = await now()
    expect(body['plansMoving']).toBe(1)
    expect(body['plans']).toMatchObject([
      { project: 'delta', slug: 'newer', moving: true },
      { project: 'atlas', slug: 'older', moving: false, total: 2, claimable: 2 },
    ])
    expect((await now('?scope=delta'))['plans']).toHaveLength(1)
  })

  test('shows on the wire the last twelve acts of its scope, and no calls', async () => {
    const [id, alice] = await start('harbor', 'atlas')
    for (let nth = 0; nth < 13; nth++)
      await alice.call('notes_create', { title: `N${nth}`, body: 'b' })
    await add(alice, 'Elsewhere', { project: 'delta' })
    const { wire } = await now()
    expect(wire).toHaveLength(12)
    expect(wire.map(({ kind }: Answer) => kind)).not.toContain('tool.call')
    expect(wire[0]).toMatchObject({ kind: 'task.transition', item: 'Elsewhere', project: 'delta' })
    expect(wire[1]).toMatchObject({ kind: 'note.written', tone: 'write', sessionId: id })
    expect((await now('?scope=delta'))['wire']).toHaveLength(1)
  })

  test('waits for the first agent with the command that connects one', async () => {
    const { text } = await owner.get('/console/now')
    expect(text).toContain('waiting for the first agent')
    expect(text).toMatch(/bin\/loam\.mjs install-hooks/)
  })

  test('asks anew for each of its parts after every kind of event, and for nothing else', async () => {
    const [id] = await start('harbor', 'atlas')
    const { text } = await owner.get('/console/now?parts=agents,wire')
    expect(text).toContain(`id="row-${id}"`)
    expect(text).toContain('id="wire"')
    expect(text).not.toContain('id="summary"')
    const page = await owner.get('/console/now')
    const concerns = /data-live="([^"]+)"/.exec(page.text)![1]!.replaceAll('&#34;', '"')
    expect(JSON.parse(concerns.replaceAll('&quot;', '"')).parts.agents[0].kinds).toEqual(['*'])
  })

  test('stars a session and leads back to itself', async () => {
    const [id] = await start('harbor', 'atlas')
    const star = (form: Record<string, string>) =>
      owner.post(`/console/favorites/session/${id}`, { next: '/console/now', ...form })
    const { status, headers } = await star({ favorite: '1' })
    expect([status, headers.location]).toEqual([303, '/console/now?notice=Starred.'])
    await star({ favorite: '1' })
    expect(agentOf(await now(), id)['favorite']).toBe(true)
    expect((await star({})).headers.location).toBe('/console/now?notice=Unstarred.')
    expect(agentOf(await now(), id)['favorite']).toBe(false)
    const [event] = await house.events('favorite.changed')
    expect(event).toMatchObject({ item_id: id, payload: { kind: 'session', by: 'console' } })
    expect((await owner.post('/console/favorites/cloud/x', {})).status).toBe(404)
  })

  test('is cut by a project that there is, and by no other', async () => {
    await start('harbor', 'atlas')
    await start('quay', 'delta')
    await house.inside('crypt', 'sealed')
    expect(await now('?scope=delta')).toMatchObject({
      scope: 'delta',
      agents: [{ name: 'quay' }],
      scopes: [
        { slug: 'atlas', live: 1, active: false },
        { slug: 'crypt', live: 1, active: false },
        { slug: 'delta', live: 1, active: true },
      ],
    })
    expect((await now('?scope='))['agentsLive']).toBe(3)
    expect((await now('?scope=global'))['scopes']).toContainEqual({
      slug: 'global',
      live: 0,
      active: true,
    })
    const { status, body } = await owner.json('/console/now?scope=nowhere')
    expect([status, body]).toEqual([
      400,
      { error: 'invalid scope "nowhere": valid values are global, atlas, crypt, delta' },
    ])
    expect((await owner.json('/console/now?scope=atlas&scope=delta')).status).toBe(400)
  })
})

const countsOf = (body: Answer): number[] => body['pulse'].map(({ count }: Answer) => count)
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)
