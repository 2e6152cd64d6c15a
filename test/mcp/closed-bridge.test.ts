import { expect, test } from 'vitest'
import { connect, type Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

const PROCESS = 'c'.repeat(32)
const START = fixture('claude-code/session-start', { process: PROCESS, repo_root: '/src/orders' })

/** As a client's bridge connects. */
const bridged = ({ url, key }: House, headers: object = { 'loam-process': PROCESS }) =>
  connect({ url, key, headers: { 'loam-client': 'claude-code', ...headers } })

async function leave({ url, key }: House, { id }: Agent, closed: object): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': id, ...closed }
  return (await fetch(`${url}/api/mcp`, { method: 'DELETE', headers })).status
}
const CLOSED = { 'loam-closed': 'bridge' }

const statuses = async ({ app }: House) =>
  (await app.kernel.db.selectFrom('sessions').select('status').orderBy('id').execute()).map(
    ({ status }) => status,
  )

test('a closed bridge ends the session for which it spoke, and the next call revives it', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START)
  const agent = await bridged(house)
  await agent.call('recall', { query: 'x' })
  expect(await leave(house, agent, CLOSED)).toBe(200)
  expect(await statuses(house)).toEqual(['completed'])
  expect(await house.events('session.ended')).toMatchObject([
    { payload: { reason: 'closed', ambient: true } },
  ])
  const again = await bridged(house)
  await again.call('recall', { query: 'x' })
  expect(await statuses(house)).toEqual(['active'])
})

test('a closed connection that is no bridge, or that spoke for nobody, ends nothing', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START)
  const agent = await bridged(house)
  await agent.call('recall', { query: 'x' })
  expect(await leave(house, agent, {})).toBe(200)
  const guessed = await bridged(house, {})
  await guessed.call('recall', { query: 'x' })
  expect(await leave(house, guessed, CLOSED)).toBe(200)
  const silent = await bridged(house)
  expect(await leave(house, silent, CLOSED)).toBe(200)
  expect(await leave(house, silent, CLOSED)).toBe(404)
  expect(await statuses(house)).toEqual(['active'])
})

test('a session goes on while another bridge speaks for it', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START)
  const [one, other] = [await bridged(house), await bridged(house)]
  for (const each of [one, other]) await each.call('recall', { query: 'x' })
  await leave(house, one, CLOSED)
  expect(await statuses(house)).toEqual(['active'])
  await leave(house, other, CLOSED)
  expect(await statuses(house)).toEqual(['completed'])
})

test('a session goes on while another bridge speaks for one that its client shares with it', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START)
  const [main, other] = [await bridged(house), await bridged(house)]
  const { id } = await main.call('tasks_add', { title: 'Dredge' })
  await main.call('tasks_claim', { id })
  await other.call('session_start', { name: 'scout' })
  await leave(house, other, CLOSED)
  expect(await statuses(house)).toEqual(['active', 'active'])
  expect(await main.call('tasks_list', { status: 'in_progress', project: 'orders' })).toMatchObject(
    {
      tasks: [{ id }],
    },
  )
  await leave(house, main, CLOSED)
  expect(await statuses(house)).toEqual(['completed', 'completed'])
})

test('a session that runs in another process meanwhile outlives the bridge of the first', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START)
  const agent = await bridged(house)
  await agent.call('recall', { query: 'x' })
  // It is resumed in another terminal, which works without a call of a tool; the first one is closed.
  const process = 'd'.repeat(32)
  await callHook(house, 'session-start', { ...START, source: 'resume', process })
  await leave(house, agent, { ...CLOSED, 'loam-process': PROCESS })
  expect(await statuses(house)).toEqual(['active'])
})

test('a closed bridge ends the session to which session_start bound it', async () => {
  await using house = await openHouse()
  const agent = await bridged(house, {})
  const started = await agent.call('session_start', { name: 'keeper', project: 'orders' })
  await agent.call('session_update', { findings: 'Half of it is done.' })
  await leave(house, agent, CLOSED)
  expect(await house.events('session.ended')).toMatchObject([
    {
      session_id: started['session_id'],
      payload: { reason: 'closed', findings: 'Half of it is done.' },
    },
  ])
  expect(await statuses(house)).toEqual(['completed'])
})

test('a session of Codex outlives the bridge of its subagent, which may be the only one that spoke', async () => {
  await using house = await openHouse()
  await callHook(house, 'session-start', START, { query: '?client=codex' })
  const subagent = await bridged(house, { 'loam-client': 'codex', 'loam-process': PROCESS })
  await subagent.call('recall', { query: 'x' })
  await leave(house, subagent, CLOSED)
  expect(await statuses(house)).toEqual(['active'])
})
