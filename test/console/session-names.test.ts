import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const PROMPT = fixture('claude-code/user-prompt-submit', REPO)
const STOP = fixture('claude-code/stop', REPO)

describe('a session is called', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const listed = async (query = '') =>
    (await owner.json(`/console/sessions${query}`)).body.sessions as {
      id: string
      called: string
      name: string
    }[]
  const called = async () => (await listed()).map((each) => each.called)
  const ask = (prompt: string) => callHook(house, 'user-prompt-submit', { ...PROMPT, prompt })

  test('by its directory, then by its first prompt, then by the task that it claims', async () => {
    await callHook(house, 'session-start', START)
    expect(await called()).toEqual(['orders'])

    await ask('\n  Why does the importer  lose rows?\nIt began on Monday.')
    await ask('And now the tests')
    expect(await called()).toEqual(['Why does the importer lose rows?'])

    const [{ name } = { name: '' }] = await listed()
    expect(name).toMatch(/^cc\//)
    const agent = await house.connect()
    const { id } = await agent.call('tasks_add', {
      title: 'Webhook drops rows under load',
      session: name,
    })
    await agent.call('tasks_claim', { id, session: name })
    expect(await called()).toEqual(['Webhook drops rows under load'])

    await agent.call('tasks_update', { id, status: 'done', session: name })
    expect(await called()).toEqual(['Webhook drops rows under load'])
    await agent.call('tasks_update', { id, title: 'Webhook keeps rows', session: name })
    expect(await called()).toEqual(['Webhook keeps rows'])
  })

  test('by the first line of its findings when nobody asked anything', async () => {
    const agent = await house.connect()
    await agent.call('session_start', { name: 'tide', project: 'atlas', cwd: '/src/harbor' })
    expect(await called()).toEqual(['harbor'])
    await agent.call('session_update', {
      findings: '\n---\n## **The `importer`** keeps  the last row\n\n- since Monday',
    })
    expect(await called()).toEqual(['The importer keeps the last row'])
  })

  test('by a word of its own client’s last words, and by nothing that says nothing', async () => {
    await callHook(house, 'session-start', START)
    await callHook(house, 'stop', { ...STOP, findings: 'ok', last_assistant_message: 'Done.' })
    expect(await called()).toEqual(['orders'])
    const findings = 'The parser reads the last row of a file again.'
    await callHook(house, 'stop', { ...STOP, findings, last_assistant_message: findings })
    expect(await called()).toEqual([findings])
  })

  test('by its handle when nothing else is known', async () => {
    const agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    expect(await listed()).toMatchObject([{ called: 'harbor', name: 'harbor' }])
  })

  test('by its first prompt also when the log no longer holds it', async () => {
    await callHook(house, 'session-start', START)
    await ask('Count the herons')
    await house.app.kernel.telemetry.flush()
    await house.app.database.db.deleteFrom('events').where('kind', '=', 'hook.prompt').execute()
    expect(await called()).toEqual(['Count the herons'])
  })

  test('by nothing that looks like a credential', async () => {
    await callHook(house, 'session-start', START)
    await ask('Use ghp_abcdefghijklmnopqrstuvwxyz0123456789 for the push')
    const [name] = await called()
    expect(name).toMatch(/^Use .* for the push$/)
    expect(name).not.toContain('ghp_abc')
    const [{ first_prompt } = { first_prompt: '' }] = await house.app.database.db
      .selectFrom('sessions')
      .select('first_prompt')
      .execute()
    expect(first_prompt).not.toContain('ghp_abc')
  })

  test('by 120 characters at most, in any script', async () => {
    await callHook(house, 'session-start', START)
    await ask(`潮汐表の最後の行が${'消'.repeat(300)}`)
    const [name] = await called()
    expect([...name!]).toHaveLength(120)
    expect(name).toMatch(/^潮汐表の最後の行が消+…$/)
  })

  test('the same when it resumes with another prompt, and when it begins a session of its own', async () => {
    await callHook(house, 'session-start', START)
    await ask('Mend the gate')
    await callHook(house, 'session-end', fixture('claude-code/session-end', REPO))
    await ask('And the fence')
    expect(await called()).toEqual(['Mend the gate'])
  })

  test('so in its page, in what it did and in the search of the list', async () => {
    await callHook(house, 'session-start', START)
    await ask('Mend <b>the</b> gate')
    const [{ id, name } = { id: '', name: '' }] = await listed()
    const { text } = await owner.get(`/console/sessions/${id}`)
    expect(text).toContain('Mend &lt;b&gt;the&lt;/b&gt; gate</h')
    expect(text).toContain(name)
    const { body } = await owner.json(`/console/sessions/${id}`)
    const start = body.timeline.find((each: { kind: string }) => each.kind === 'session.started')
    const event = await owner.get(`/console/events/${start.id}`)
    expect(event.text).toContain('Mend &lt;b&gt;the&lt;/b&gt; gate</span>')
    expect(event.text).toContain(`href="/console/sessions/${id}"`)
    expect(await listed('?q=the%3C/b%3E%20gate')).toHaveLength(1)
    expect(await listed('?q=fence')).toHaveLength(0)
  })
})
