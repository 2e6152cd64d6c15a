import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openKept } from '../../src/cli/client/bridge/kept.ts'
import { type Memory, memoryOf } from '../../src/cli/client/bridge/packaged.ts'
import { bridged } from '../helpers/bridged.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'
import { openStub } from '../helpers/mcp-stub.ts'
import { openStateless, openWire, STATELESS_META } from '../helpers/wire.ts'

const INITIALIZE = { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } }
const INITIALIZED = { method: 'notifications/initialized' }
const LIST = { id: 2, method: 'tools/list' }
const LIST_WITH_NULL = { ...LIST, params: { cursor: null } }

const at = (folder: string, url: string, build = '1'): Memory =>
  memoryOf(openKept({ folder, url, build }))

describe('while the service is away', () => {
  test('the first questions are answered as the service last answered them, byte for byte', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    const given = '{"protocolVersion": "2025-06-18",  "big":12345678901234567890,"x":"\\u00fc ü"}'
    const listed = '{"tools":[ {"name":"recall"} ]}'
    stub.results.set('initialize', given)
    stub.results.set('tools/list', listed)
    const before = bridged(stub, { memory: at(folder.path, stub.url) })
    await before.call(INITIALIZE)
    before.send(INITIALIZED)
    await before.call(LIST)
    await before.end()
    await stub.stop()

    const began = performance.now()
    const client = bridged(stub, { memory: at(folder.path, stub.url) })
    client.send({ ...INITIALIZE, id: 'one' })
    expect(await client.line()).toBe(`{"jsonrpc":"2.0","id":"one","result":${given}}`)
    client.send(INITIALIZED)
    client.send(LIST)
    expect(await client.line()).toBe(`{"jsonrpc":"2.0","id":2,"result":${listed}}`)
    expect(performance.now() - began).toBeLessThan(1_500)
    await client.end()
  })

  test('a client that writes null for no cursor has its tools, too', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    await stub.stop()
    const client = bridged(stub, { memory: at(folder.path, stub.url) })
    await client.call(INITIALIZE)
    client.send(INITIALIZED)
    const began = performance.now()
    expect(await client.call(LIST_WITH_NULL)).toMatchObject({
      id: 2,
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'recall' })]) },
    })
    expect(performance.now() - began).toBeLessThan(1_000)
    await client.end()
  })

  test('a service that hangs is waited for no longer than one that is not there', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    stub.hang(true)
    const client = bridged(stub, { memory: at(folder.path, stub.url) })
    const began = performance.now()
    expect(await client.call(INITIALIZE)).toMatchObject({
      result: { serverInfo: { name: 'loam' } },
    })
    expect(performance.now() - began).toBeGreaterThan(290)
    expect(performance.now() - began).toBeLessThan(1_200)
    // The next question does not wait once more.
    const asked = performance.now()
    await client.call(LIST)
    expect(performance.now() - asked).toBeLessThan(290)
    const ended = performance.now()
    await client.end()
    expect(performance.now() - ended).toBeLessThan(1_000)
  })

  test('the connection is opened by the client’s own handshake once the service is back', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    await stub.stop()
    const client = bridged(stub, { memory: at(folder.path, stub.url) })
    await client.call(INITIALIZE)
    client.send(INITIALIZED)
    await client.call(LIST)
    client.send({ id: 3, method: 'tools/call', params: { name: 'recall' } })
    await sleep(100)
    expect(client.arrived).toEqual([])
    await stub.start()

    expect(await client.next()).toMatchObject({ id: 3, result: { method: 'tools/call' } })
    await client.end()
    const methods = stub.frames.map(({ method }) => method)
    expect(methods[0]).toBe('initialize')
    expect(methods.indexOf('tools/call')).toBeGreaterThan(
      methods.indexOf('notifications/initialized'),
    )
    expect(methods.filter((method) => method === 'initialize')).toHaveLength(1)
    expect(stub.frames[0]!.bytes.toString()).toBe(JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }))
    // What the service lists is kept, though the client was answered before.
    expect(client.arrived).toEqual([])
    expect(at(folder.path, stub.url).known(listOf('2025-06-18'))).toContain('"method":"tools/list"')
  })

  test('a call says after its time that the service is away, and what to do', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    await stub.stop()
    const client = bridged(stub, { memory: at(folder.path, stub.url), patienceMs: 200 })
    await client.call(INITIALIZE)
    const { error } = await client.call({ id: 3, method: 'tools/call' })
    expect(error).toMatchObject({ code: -32000 })
    expect(error?.message).toContain(`cannot be reached at ${stub.url} (ECONNREFUSED)`)
    expect(error?.message).toContain('"loam serve"')
    expect(await client.call({ id: 4, method: 'ping' })).toMatchObject({ id: 4, result: {} })
    await client.end()
  })

  test('a call that was given up before it was sent is never sent', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    await stub.stop()
    const client = bridged(stub, { memory: at(folder.path, stub.url) })
    await client.call(INITIALIZE)
    client.send({ id: 3, method: 'tools/call' })
    client.send({ method: 'notifications/cancelled', params: { requestId: 3 } })
    client.send({ id: 4, method: 'tools/call' })
    await stub.start()
    expect(await client.next()).toMatchObject({ id: 4, result: {} })
    await client.end()
    expect(stub.frames.filter(({ id }) => id === 3)).toEqual([])
  })

  test('a wrong key is no absence', async () => {
    await using folder = await openFolder()
    await using stub = await openStub()
    const client = bridged(stub, { key: 'wrong', memory: at(folder.path, stub.url) })
    expect(await client.call(INITIALIZE)).toMatchObject({
      error: { message: expect.stringContaining('the key is wrong') },
    })
    await expect(client.ended).rejects.toThrow(
      'the key is wrong, see "loam key"; after "loam key rotate" the service needs a restart',
    )
  })
})

describe('what is kept of a service', () => {
  const url = 'http://127.0.0.1:1'

  test('is for its owner alone, and is not read when others could have written it', async () => {
    await using folder = await openFolder()
    const states = join(folder.path, 'states')
    at(states, url).keep(listOf('v'), '{"tools":[]}')
    const [name = ''] = await readdir(states)
    expect([
      (await stat(states)).mode & 0o777,
      (await stat(join(states, name))).mode & 0o777,
    ]).toEqual([0o700, 0o600])
    expect(at(states, url).known(listOf('v'))).toBe('{"tools":[]}')
    await chmod(join(states, name), 0o620)
    expect(at(states, url).known(listOf('v'))).not.toBe('{"tools":[]}')
  })

  test('belongs to one address, one build and one version', async () => {
    await using folder = await openFolder()
    const keep = at(folder.path, url)
    keep.keep(listOf('v'), '{"tools":[]}')
    const others = [
      at(folder.path, 'http://127.0.0.1:2').known(listOf('v')),
      at(folder.path, url, '2').known(listOf('v')),
      keep.known(listOf('w')),
      keep.known({ ...listOf('v'), isStateless: true }),
    ]
    for (const other of others) expect(other).not.toBe('{"tools":[]}')
  })

  test('tells another build whether the service offers research', async () => {
    await using folder = await openFolder()
    const names = (build: string): string[] => {
      const text = at(folder.path, url, build).known(listOf('v')) ?? '{}'
      return (JSON.parse(text) as { tools: { name: string }[] }).tools.map(({ name }) => name)
    }
    expect(names('1')).not.toContain('lab_open')
    at(folder.path, url).keep(listOf('v'), '{"tools":[{"name":"lab_open"}]}')
    expect(names('2')).toContain('lab_open')
    expect(names('2').length).toBeGreaterThan(20)
  })

  test('stays small, and survives a file that is torn', async () => {
    await using folder = await openFolder()
    const memory = at(folder.path, url)
    for (let n = 0; n < 40; n++) memory.keep(listOf(`v${n}`), `{"tools":[${n}]}`)
    memory.keep(listOf('huge'), `"${'x'.repeat(2_000_000)}"`)
    const [name = ''] = await readdir(folder.path)
    const { results } = JSON.parse(await readFile(join(folder.path, name), 'utf8'))
    expect(Object.keys(results)).toHaveLength(12)
    for (let n = 0; n < 40; n++) at(folder.path, `${url}${n}`).keep(listOf('v'), '{}')
    expect((await readdir(folder.path)).length).toBeLessThanOrEqual(16)

    memory.keep(listOf('v'), '{"tools":[]}')
    await writeFile(join(folder.path, name), '{"url":')
    expect(memory.known(listOf('v'))).toContain('"recall"')
    memory.keep(listOf('v'), '{"tools":[]}')
    expect(memory.known(listOf('v'))).toBe('{"tools":[]}')
  })
})

describe('the catalogue of the package', () => {
  test.each([false, true])(
    'answers what the service answers, byte for byte, with research %s',
    async (research) => {
      await using folder = await openFolder()
      await using house = await openHouse({ env: { LOAM_FEATURES_RESEARCH: String(research) } })
      const memory = at(folder.path, house.url)
      // Only the names are known, of another build.
      if (research)
        at(folder.path, house.url, '0').keep(listOf('v'), '{"tools":[{"name":"lab_open"}]}')
      const known = (question: Parameters<Memory['known']>[0]) =>
        `{"jsonrpc":"2.0","id":1,"result":${memory.known(question)}}`

      const wire = await openWire(house)
      expect(known(listOf('2025-06-18'))).toBe((await wire.ask('tools/list')).text)
      for (const version of [
        '2025-11-25',
        '2025-06-18',
        '2025-03-26',
        '2024-11-05',
        '2099-01-01',
      ]) {
        const clientInfo = { name: 'alice', version: '1' }
        const params = { protocolVersion: version, capabilities: {}, clientInfo }
        const { text } = await wire.ask('initialize', params)
        expect(known({ method: 'initialize', version, isStateless: false })).toBe(text)
      }
      const stateless = openStateless(house)
      for (const method of ['server/discover', 'tools/list'] as const) {
        const { text } = await stateless.ask(method)
        expect(known({ method, version: '2026-07-28', isStateless: true })).toBe(text)
      }
      const unknown = { method: 'tools/list', version: '2099-01-01', isStateless: true } as const
      expect(memory.known(unknown)).toBeUndefined()
    },
  )

  test('serves both generations of a client, and a tool that is gone is refused by the service', async () => {
    await using folder = await openFolder()
    await using house = await openHouse()
    const memory = at(folder.path, house.url)
    const client = bridged(house, { key: house.key, memory })
    const params = {
      ...INITIALIZE.params,
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    expect(await client.call({ ...INITIALIZE, params })).toMatchObject({
      result: { protocolVersion: '2025-06-18' },
    })
    client.send(INITIALIZED)
    client.send({ id: 3, method: 'tools/call', params: { name: 'tools_gone', arguments: {} } })
    const wire = await openWire(house)
    const refused = await wire.ask('tools/call', { name: 'tools_gone', arguments: {} }, 3)
    expect(await client.line()).toBe(refused.text)
    expect(refused.body.error.code).toBe(-32602)

    // What is too large for the service is refused in its own words, with the id of the call.
    for (const megabytes of [1.1, 4, 15]) {
      const params = { name: 'recall', arguments: { query: 'x'.repeat(megabytes * 1024 * 1024) } }
      const large = await client.call({ id: megabytes, method: 'tools/call', params })
      expect(large).toMatchObject({ id: megabytes, error: { message: 'the body is over 1 MiB' } })
    }

    client.send({ id: 4, method: 'tools/list', params: { _meta: STATELESS_META } })
    expect(await client.line()).toBe(
      (await openStateless(house).ask('tools/list', {}, { id: 4 })).text,
    )
    await client.end()
  })
})

const listOf = (version: string) => ({ method: 'tools/list', version, isStateless: false }) as const
