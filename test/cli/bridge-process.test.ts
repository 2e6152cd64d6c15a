import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runBridge } from '../../src/cli/client/bridge/program.ts'
import { clientProcess } from '../../src/cli/client/process-key.ts'
import { registryOf } from '../../src/cli/client/registry.ts'
import { type Answer } from '../helpers/bridged.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHookService } from '../helpers/hooks.ts'
import { openHouse } from '../helpers/house.ts'
import { openStub } from '../helpers/mcp-stub.ts'
import { PROGRAM, startService } from '../helpers/service.ts'

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'alice', version: '1' },
  },
}
const INITIALIZED = { method: 'notifications/initialized' }

interface Started extends AsyncDisposable {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  send(frame: object): void
  /** Every answer so far, by the id of its call. */
  answers: Map<unknown, Answer[]>
  /** Resolves with the answer to the call. */
  answer(id: number): Promise<Answer>
  /** The exit code, the signal that killed it, and what it printed on standard error. */
  ended: Promise<{ code: number | null; signal: string | null; stderr: string }>
}

/** `loam bridge` as a client starts it. */
function start(folder: string, env: Record<string, string>, client = 'codex'): Started {
  const child = spawn(process.execPath, [PROGRAM, 'bridge', '--client', client], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [text, stderr] = ['', '']
  const answers: Started['answers'] = new Map()
  const waiting = new Map<unknown, (answer: Answer) => void>()
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const all = (text + part).split('\n')
    text = all.pop() ?? ''
    for (const answer of all.map((line) => JSON.parse(line) as Answer)) {
      answers.set(answer.id, [...(answers.get(answer.id) ?? []), answer])
      waiting.get(answer.id)?.(answer)
    }
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  return {
    child,
    answers,
    send: (frame) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`),
    answer: async (id) =>
      answers.get(id)?.[0] ?? new Promise<Answer>((resolve) => waiting.set(id, resolve)),
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal, stderr })),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    },
  }
}

const quiet = { code: 0, signal: null, stderr: '' }
let folder: Awaited<ReturnType<typeof openFolder>>
beforeAll(async () => {
  folder = await openFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

describe('a bridge ends', () => {
  const ways: Record<string, (bridge: Started) => unknown> = {
    'when its client closes the pipe': ({ child }) => child.stdin.end(),
    'when its client reads no more': ({ child, send }) => {
      child.stdout.destroy()
      send({ id: 8, method: 'tools/call' })
      send({ id: 9, method: 'tools/call' })
    },
    'on SIGTERM': ({ child }) => child.kill('SIGTERM'),
    'on SIGINT': ({ child }) => child.kill('SIGINT'),
  }

  test.each(Object.entries(ways))('%s, and tells the service', async (_, end) => {
    await using stub = await openStub()
    await using bridge = start(folder.path, { LOAM_URL: stub.url, LOAM_MCP_API_KEY: 'right' })
    bridge.send(INITIALIZE)
    await bridge.answer(1)
    const { headers = {} } = stub.frames[0] ?? {}
    expect(headers).toMatchObject({ 'loam-client': 'codex', 'loam-directory': folder.path })
    end(bridge)
    expect(await bridge.ended).toEqual(quiet)
    expect(stub.closed).toMatchObject([{ 'loam-closed': 'bridge', 'loam-client': 'codex' }])
  })

  test.each(Object.entries(ways))('%s, within a second of a service that hangs', async (_, end) => {
    await using stub = await openStub()
    await using bridge = start(folder.path, { LOAM_URL: stub.url, LOAM_MCP_API_KEY: 'right' })
    bridge.send(INITIALIZE)
    await bridge.answer(1)
    bridge.send({ id: 2, method: 'ping' })
    await bridge.answer(2)
    bridge.send({ id: 3, method: 'tools/call' })
    stub.hang(true)
    const began = performance.now()
    end(bridge)
    // A client that reads no more is noticed with the next answer.
    if (_ === 'when its client reads no more') stub.hang(false)
    expect(await bridge.ended).toEqual(quiet)
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  test('when it has no key, with one sentence', async () => {
    await using bridge = start(folder.path, { LOAM_URL: 'http://127.0.0.1:1' })
    const { code, stderr } = await bridge.ended
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^loam: no key for [^\n]*\n$/)])
  })
})

test('a rotated key reaches a bridge that runs', async () => {
  await using home = await openFolder()
  await using stub = await openStub()
  await mkdir(join(home.path, '.config/loam'), { recursive: true })
  const key = join(home.path, 'key')
  const written = `url: ${stub.url}\nkey_file: ${key}\n`
  await writeFile(join(home.path, '.config/loam/client.yaml'), written)
  await writeFile(key, 'right\n')
  await using bridge = start(home.path, {})
  bridge.send(INITIALIZE)
  await bridge.answer(1)
  stub.key = 'rotated'
  await writeFile(key, 'rotated\n')
  bridge.send({ id: 2, method: 'tools/call' })
  expect(await bridge.answer(2)).toMatchObject({ result: { method: 'tools/call' } })
})

test('a bridge that runs tells which clients of its machine are gone', async () => {
  await using home = await openFolder()
  await using service = await openHookService()
  const env = { HOME: home.path }
  // No process has both this id and this key.
  const dead = { key: '0'.repeat(32), pid: process.pid }
  registryOf(env, home.path).announce(dead, { client: 'codex', session_id: 's' })
  const stdin = new PassThrough()
  const running = runBridge({
    client: { url: service.url, key: async () => 'right' },
    name: 'codex',
    cwd: home.path,
    env,
    home: home.path,
    stdin,
    stdout: { write: () => true },
    lookMs: 200,
  })
  await expect.poll(() => registryOf(env, home.path).gone().gone).toEqual([])
  stdin.end()
  await running
  expect(service.posted[0]).toMatchObject({
    body: { gone: [{ client: 'codex', session_id: 's' }] },
  })
})

test('of calls under load, each is answered once when the service is killed and comes back', async () => {
  await using stub = await openStub()
  await using bridge = start(folder.path, { LOAM_URL: stub.url, LOAM_MCP_API_KEY: 'right' })
  bridge.send(INITIALIZE)
  bridge.send(INITIALIZED)
  await bridge.answer(1)
  const last = 400
  const calling = (async () => {
    for (let id = 2; id <= last; id++) {
      bridge.send({ id, method: id % 10 === 0 ? 'wait' : 'tools/call' })
      if (id % 4 === 0) await sleep(2)
    }
  })()
  // One that is not answered before is under way when it is killed for the first time.
  await expect.poll(() => stub.frames.some(({ method }) => method === 'wait')).toBe(true)
  for (let round = 0; round < 3; round++) {
    await sleep(60)
    await stub.stop()
    if (round === 1) stub.forget()
    await sleep(60)
    await stub.start()
  }
  await calling
  const afterwards = Array.from({ length: 50 }, (_, index) => last + 1 + index)
  for (const id of afterwards) bridge.send({ id, method: 'tools/call' })
  const releasing = setInterval(() => stub.release(), 20)
  const all = [...Array.from({ length: last - 1 }, (_, index) => index + 2), ...afterwards]
  const answers = await Promise.all(all.map((id) => bridge.answer(id)))
  clearInterval(releasing)
  for (const id of all) expect([id, bridge.answers.get(id)?.length]).toEqual([id, 1])
  const cut = answers.filter(({ error }) => error)
  for (const { error } of cut) expect(error?.message).toContain('is not known')
  // Nothing that was taken was sent again.
  const taken = stub.frames.filter(({ id = 0, isTaken }) => isTaken && id > 1).map(({ id }) => id)
  expect(taken.length).toBe(new Set(taken).size)
  expect(cut.length).toBeGreaterThan(0)
  // How many are under way when it is killed is a matter of load; of what is sent once it is back none is lost.
  expect(cut.filter(({ id }) => Number(id) > last)).toEqual([])
  expect(cut.length).toBeLessThan(last - 1)
})

test('a client that is there before the service has its tools, and its call waits', async () => {
  const port = await freePort()
  const env = { LOAM_URL: `http://127.0.0.1:${port}`, LOAM_MCP_API_KEY: 'key-of-sufficient-length' }
  await using bridge = start(folder.path, env)
  bridge.send(INITIALIZE)
  expect(await bridge.answer(1)).toMatchObject({ result: { serverInfo: { name: 'loam' } } })
  bridge.send(INITIALIZED)
  bridge.send({ id: 2, method: 'tools/list' })
  const { result: early } = await bridge.answer(2)
  const note = { title: 'Early', body: 'b', project: 'global' }
  bridge.send({ id: 3, method: 'tools/call', params: { name: 'notes_create', arguments: note } })
  await using service = await startService({
    folder: folder.path,
    env: { ...env, LOAM_ADDR: `127.0.0.1:${port}` },
  })
  const created = await bridge.answer(3)
  expect(created).toMatchObject({ result: { structuredContent: { id: expect.any(String) } } })
  bridge.send({ id: 4, method: 'tools/list' })
  expect((await bridge.answer(4)).result).toEqual(early)

  await service.stop('SIGKILL')
  bridge.child.stdin.end()
  expect(await bridge.ended).toEqual(quiet)
})

test('a call through the bridge is known by its client’s process, and its end ends the session', async () => {
  await using house = await openHouse()
  const process = clientProcess(globalThis.process.pid)?.key
  const place = { cwd: folder.path, repo_root: '/src/orders' }
  const started = fixture('codex/session-start', { process, ...place })
  await callHook(house, 'session-start', started, { query: '?client=qwen' })
  const env = { LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
  await using bridge = start(folder.path, env, 'qwen')
  bridge.send(INITIALIZE)
  bridge.send(INITIALIZED)
  const fact = { name: 'tabs', kind: 'convention', description: 'Tabs.', body: 'Tabs it is.' }
  bridge.send({ id: 2, method: 'tools/call', params: { name: 'memory_write', arguments: fact } })
  expect(await bridge.answer(2)).toMatchObject({
    result: { structuredContent: { project: 'orders' } },
  })
  const session = async () =>
    house.app.kernel.db.selectFrom('sessions').select(['id', 'status']).executeTakeFirstOrThrow()
  const { id } = await session()
  expect(await house.events('memory.written')).toMatchObject([{ session_id: id }])
  bridge.child.kill('SIGTERM')
  await bridge.ended
  await expect.poll(session).toEqual({ id, status: 'completed' })
})

/** A port that nobody has at this moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
