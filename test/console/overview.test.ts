import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const WRITE = fixture('claude-code/post-tool-use.write', REPO)
const EDIT = fixture('claude-code/post-tool-use.edit', REPO)
const PRESENT = fixture('claude-code/permission-request', REPO)

describe('the inbox', () => {
  let house: House
  let owner: Owner
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const lines = async () => {
    await house.app.kernel.telemetry.flush()
    return (await owner.json('/console/')).body.attention as {
      id: string
      kind: string
      title: string
      sub: string
      at: string
      href?: string
      act?: { label: string; action: string; fields: { name: string; value: string }[] }
      command?: string
      opens?: boolean
    }[]
  }
  const kinds = async () => (await lines()).map(({ kind }) => kind)
  const begin = async (name: string, by = agent) => {
    await by.call('session_start', { name, project: 'atlas' })
    return by
  }
  const claim = async (seconds: number) => {
    await begin('one')
    const { id } = await agent.call('tasks_add', { title: 'Mend the quay' })
    await agent.call('tasks_claim', { id, lease_seconds: seconds })
    // What is still to be marked as alive would be marked by a later clock.
    await house.app.kernel.telemetry.flush()
    return String(id)
  }

  test('is empty on a fleet at work, and the page says so', async () => {
    await claim(900)
    await agent.call('memory_write', { name: 'tide', kind: 'gotcha', description: 'd', body: 'b' })
    expect(await lines()).toEqual([])
    const { text } = await owner.get('/console/')
    expect(text).toContain('Nothing needs you')
    expect(text).toContain('1 agent is at work')
    expect(text).not.toContain('data-inbox-line')
  })

  test('shows the one command and waits for the first agent while there is none', async () => {
    const { text } = await owner.get('/console/')
    const [, command = ''] = /data-copy="([^"]+)"/.exec(text) ?? []
    expect(command).toMatch(/^node \/.*\/bin\/loam\.mjs install-hooks$/)
    expect(existsSync(command.split(' ')[1]!)).toBe(true)
    expect(text).toContain('waiting for the first agent')
    for (const page of ['now', 'sessions', 'memories', 'notes']) {
      expect((await owner.get(`/console/${page}`)).text, page).toContain(`data-copy="${command}"`)
    }
    expect(text).not.toContain('Nothing needs you')
  })

  test('names a mishap for seven days', async () => {
    await begin('one')
    await agent.call('session_end', { findings: 'x', mishaps: ['Ran the import twice <b>'] })
    const [line, ...others] = await lines()
    expect(others).toEqual([])
    expect(line).toMatchObject({ sev: 'danger', icon: 'danger', tone: 'danger', strong: 'Mishap' })
    expect(line).toMatchObject({ kind: 'mishap', title: 'Ran the import twice <b>', opens: true })
    const event = (await house.events('agent.mishap'))[0]!.id
    expect(line!.href).toBe(`/console/events/${event}`)
    const { text } = await owner.get(line!.href!)
    expect(text).toContain(`data-opened="mishap-${event}"`)
    expect((await owner.get('/console/')).text).toContain('Ran the import twice &lt;b&gt;')
    await house.moveClock('6 days 23 hours')
    expect(await kinds()).toEqual(['mishap'])
    await house.moveClock('7 days 1 minute')
    expect(await kinds()).toEqual([])
  })

  test('names a tool that fails three times in two sessions, for an hour', async () => {
    await begin('one')
    const other = await begin('two', await house.connect('bob'))
    const fail = (by: Agent) => by.raw('memory_read', { name: 'nope' })
    await fail(agent)
    await fail(agent)
    await fail(agent)
    expect(await kinds(), 'in one session').toEqual([])
    await fail(other)
    const [line] = await lines()
    expect(line).toMatchObject({
      kind: 'failing',
      id: 'failing-memory_read',
      sub: '4 times in 2 sessions within the hour',
    })
    expect((await owner.get(line!.href!)).status).toBe(200)
    await house.moveClock('61 minutes')
    expect((await kinds()).filter((kind) => kind === 'failing')).toEqual([])
  })

  test('does not call it a failure that another agent was faster', async () => {
    const id = await claim(900)
    for (const name of ['two', 'three', 'four']) {
      const late = await begin(name, await house.connect('bob'))
      await late.raw('tasks_claim', { id })
    }
    expect(await lines()).toEqual([])
  })

  test('names a claim whose holder is silent for 15 minutes, until it is heard or released', async () => {
    const id = await claim(7200)
    await house.moveClock('14 minutes')
    expect(await lines()).toEqual([])
    await house.moveClock('16 minutes')
    const [line] = await lines()
    expect(line).toMatchObject({
      kind: 'held',
      title: 'Mend the quay',
      act: { label: 'Release', action: `/console/tasks/${id}/release` },
    })
    expect(line!.sub).toContain('not heard for 16m')
    const { text } = await owner.get('/console/')
    expect(text, 'is asked for twice').toContain(`id="confirm-held-${id}"`)
    await agent.call('tasks_ready', {})
    expect(await lines(), 'heard again').toEqual([])
    await house.moveClock('40 minutes')
    expect(await kinds()).toEqual(['held'])
    const { status, headers } = await owner.post(line!.act!.action, { next: '/console/' })
    expect(status).toBe(303)
    expect(headers['location']).toBe('/console/?notice=Released+%E2%80%9CMend+the+quay%E2%80%9D.')
    expect(await lines()).toEqual([])
  })

  test('names a lapsed claim, until it is claimed again', async () => {
    const id = await claim(60)
    await house.moveClock('2 minutes')
    const [line] = await lines()
    expect(line).toMatchObject({ kind: 'lapsed', id: `lapsed-${id}` })
    await agent.call('tasks_claim', { id })
    expect(await lines()).toEqual([])

    const sent = Object.fromEntries(line!.act!.fields.map(({ name, value }) => [name, value]))
    const late = await owner.post(line!.act!.action, sent)
    expect(late.headers['location'], 'from a page that is older').toContain('carried+again')
    expect((await owner.json(`/console/tasks/${id}`)).body).toMatchObject({ claimLive: true })
  })

  test('names a plan that was presented, until it is approved here', async () => {
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    expect(await lines(), 'a draft').toEqual([])
    await callHook(house, 'permission-request', PRESENT)
    const [line] = await lines()
    expect(line).toMatchObject({
      kind: 'plan',
      title: 'Retry failed orders',
      act: { label: 'Approve', action: '/console/plans/retry-failed-orders/approve' },
    })
    await callHook(house, 'post-tool-use', EDIT)
    expect(await lines(), 'written anew').toEqual([])
    await callHook(house, 'permission-request', PRESENT)
    expect(await kinds()).toEqual(['plan'])

    const form = { project: 'orders', next: '/console/' }
    const approved = await owner.post(line!.act!.action, form)
    expect(approved.headers['location']).toBe('/console/?notice=Plan+approved.')
    expect(await lines()).toEqual([])
    const [event] = await house.events('plan.approved')
    expect(event!.payload).toMatchObject({ by: 'console', plan_slug: 'retry-failed-orders' })
    const made = (await house.events('task.transition')).at(-1)
    expect(made!.payload).toMatchObject({ to: 'open', plan_slug: 'retry-failed-orders' })
    const again = await owner.post(line!.act!.action, form)
    expect(again.headers['location']).toBe('/console/?notice=Plan+already+approved.')
    expect(await house.events('plan.approved')).toHaveLength(1)
  })

  test('leads to the plan that waits, though another project has one of its slug since', async () => {
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    await callHook(house, 'permission-request', PRESENT)
    await begin('other')
    await agent.call('notes_create', { title: 'Other', body: 'B', plan: 'retry-failed-orders' })
    const [line] = await lines()
    expect(line!.kind).toBe('plan')
    const { plan } = (await owner.json(line!.href!)).body as { plan: { project: string } }
    expect(plan.project).toBe('orders')
  })

  test('leaves a presented plan alone when the briefing does', async () => {
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    await callHook(house, 'permission-request', PRESENT)
    await house.moveClock('6 days 23 hours')
    expect(await kinds()).toEqual(['plan'])
    await house.moveClock('7 days 1 hour')
    expect(await kinds()).toEqual([])
  })

  test('names a client at work whose hooks were not heard for a day', async () => {
    await callHook(house, 'session-start', START)
    await house.app.kernel.telemetry.flush()
    const client = await house.connect('claude-code')
    await house.moveClock('23 hours')
    await begin('by hand', client)
    expect(await kinds()).toEqual([])
    await house.moveClock('25 hours')
    await client.call('tasks_ready', {})
    expect(await lines()).toMatchObject([
      {
        kind: 'hook',
        title: 'claude-code has 1 session at work',
        command: expect.stringMatching(/^node \/.*\/bin\/loam\.mjs install-hooks --client claude$/),
      },
    ])
    await callHook(house, 'session-start', START)
    expect(await kinds()).toEqual([])
  })

  test('names a file that cannot be read, until it can', async () => {
    await begin('one')
    const folder = join(house.dir, 'notes', 'atlas')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'broken.md'), 'no head')
    await reconcile(house.app.kernel)
    expect(await lines()).toMatchObject([
      {
        kind: 'file',
        title: 'notes/atlas/broken.md',
        command: `"\${EDITOR:-vi}" ${join(folder, 'broken.md')}`,
      },
    ])
    await writeFile(
      join(folder, 'broken.md'),
      '---\nid: 01K9ZC4T7Q8V2M5N6P3R1S0WXY\ntitle: Whole\n---\n\nbody\n',
    )
    await reconcile(house.app.kernel)
    expect(await lines()).toEqual([])
  })

  test('counts the proposals that wait for a decision, until there are none', async () => {
    await begin('one')
    for (const name of ['tides', 'sails']) {
      const memory = { name, kind: 'gotcha', description: name, body: `About ${name}.` }
      await agent.call('memory_write', { ...memory, project: 'atlas' })
    }
    const operations = ['tides', 'sails'].map((target) => ({ op: 'archive', target }))
    const asked = { request: 'both are over', project: 'atlas', operations }
    const { created } = await agent.call('gardener_request', asked)
    expect(await lines()).toMatchObject([
      {
        ...{ kind: 'proposals', title: '2 proposals wait for a decision' },
        href: '/console/gardener',
      },
    ])
    for (const id of created as string[]) await agent.call('gardener_apply', { id })
    expect(await lines()).toEqual([])
  })

  test('cuts a wall of one kind to one line that counts the rest', async () => {
    await begin('one')
    for (let n = 0; n < 8; n++) {
      const { id } = await agent.call('tasks_add', { title: `Task ${n}` })
      await agent.call('tasks_claim', { id, lease_seconds: 60 })
    }
    await house.moveClock('2 minutes')
    const all = await lines()
    expect(all).toHaveLength(6)
    expect(all.at(-1)).toMatchObject({ id: 'lapsed-more', title: 'leases have lapsed' })
  })
})

describe('the overview', () => {
  test('tells the six last mishaps with who reported them, and that there are none as good news', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const agent = await house.connect()
    const model = 'claude-opus-4-7-20260301'
    const { session_id: id } = await agent.call('session_start', {
      ...{ name: 'one', project: 'atlas', model },
    })
    expect((await owner.get('/console/')).text).toContain('No agent reported one.')
    const mishaps = Array.from({ length: 7 }, (_, n) => `Lost ${n} ${'and more '.repeat(30)}`)
    await agent.call('session_end', { findings: 'x', mishaps })
    const told = (await owner.json('/console/')).body.mishaps
    expect(told).toHaveLength(6)
    for (const one of told) {
      expect(one).toMatchObject({
        ...{ project: 'atlas', sessionId: id, model, agent: 'opus-4-7' },
        ...{ session: { id, name: 'one' }, when: expect.stringMatching(/Z$/) },
      })
      expect(one.description).toHaveLength(160)
    }
    expect((await owner.get(`/console/events/${told[0].id}`)).status).toBe(200)
  })

  test('counts an agent that is silent past the threshold nowhere as at work', async () => {
    await using house = await openHouse({ env: { LOAM_SESSIONS_IDLE_MINUTES: '20' } })
    const owner = ownerOf(house)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'one', project: 'atlas' })
    await house.app.kernel.telemetry.flush()
    const atWork = async () => {
      const { sessActive, projects, live } = (await owner.json('/console/')).body
      const { agentsLive } = (await owner.json('/console/now')).body
      const { active, idle } = (await owner.json('/console/sessions')).body
      expect(live).toHaveLength(sessActive)
      return [sessActive, projects[0].live, agentsLive, active - idle]
    }
    expect(await atWork()).toEqual([1, 1, 1, 1])
    expect((await owner.json('/console/')).body.live).toMatchObject([
      { name: 'one', project: 'atlas', age: '<1m' },
    ])
    await house.moveClock('19 minutes')
    expect(await atWork()).toEqual([1, 1, 1, 1])
    await house.moveClock('21 minutes')
    expect(await atWork()).toEqual([0, 0, 0, 0])
    expect((await owner.get('/console/')).text).toMatch(/id="badge-now" hidden/)
  })
})
