import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { socketPath } from '../../src/cli/operator/store/socket.ts'
import { connect } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'
import { openOperated } from '../helpers/operator.ts'
import { type Service, startService } from '../helpers/service.ts'

const onServer = Boolean(process.env['LOAM_TEST_DATABASE_URL'])

describe('loam serve', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>
  let service: Service
  beforeAll(async () => {
    folder = await openFolder()
    service = await startService({ folder: folder.path, fresh: true })
  })
  afterAll(async () => {
    await service.stop()
    await folder[Symbol.asyncDispose]()
  })

  test('says where it listens, where the key is and how to connect, and never the key', () => {
    const said = service.stdout()
    expect(said).toContain(`listens on ${service.url}`)
    expect(said).toContain(join(folder.path, 'loam-data/api-key'))
    expect(said).toContain(`console  ${service.url}/console/`)
    expect(said).toMatch(/^ {2}node \S+\/bin\/loam\.mjs install-hooks/m)
    expect(said).toMatch(/^ {2}node \S+\/bin\/loam\.mjs console/m)
    expect(said).toContain('"Authorization":"Bearer ${LOAM_MCP_API_KEY}"')
    expect(said).toMatch(/"command":"node","args":\["[^"]*\/bin\/loam\.mjs","bridge"/)
    expect(said.match(/"step"/g) ?? []).toEqual([])
    expect(said + service.stderr()).not.toContain(service.key)
  })

  test('is what an agent needs: with the address and the key it lists its tools', async () => {
    await using agent = await connect(service)
    expect((await agent.tools()).map(({ name }) => name)).toContain('notes_create')
  })

  test('leaves everything it made to its owner alone', async () => {
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    expect(await mode(service.dataDir)).toBe(0o700)
    expect(await mode(join(service.dataDir, 'api-key'))).toBe(0o600)
    expect(await mode(await socketPath(service.dataDir, service.pid))).toBe(0o600)
    expect(await mode(join(folder.path, '.config/loam/client.yaml'))).toBe(0o600)
  })

  test('is asked by reindex and doctor over its socket', async () => {
    await using agent = await connect(service)
    await agent.call('project_create', { name: 'atlas' })
    await agent.call('notes_create', { title: 'Queue study', body: 'b', project: 'atlas' })

    const reindexed = await loam(['reindex'], { folder: folder.path })
    const asked = `asked: the store ${service.dataDir} (${folder.path}/.config/loam/client.yaml)\n`
    expect(reindexed).toMatchObject({ code: 0, stderr: asked })
    expect(reindexed.stdout).toMatch(/^\d+ files read, \d+ indexed, 0 forgotten, 0 listed/)

    const env = { LOAM_ADDR: new URL(service.url).host }
    const doctor = await loam(['doctor'], { folder: folder.path, env })
    expect(doctor.stdout).toContain(`open in process ${service.pid}`)
    expect(doctor.stdout).toMatch(/ok {4}service {3}answers at http/)
    expect(doctor.stdout).toMatch(/ok {4}tools {5}\d+ of \d+ offered/)
    expect(doctor).toMatchObject({ code: 0, stderr: asked })
  })

  test.skipIf(onServer)('keeps others out of its embedded store: they say who has it', async () => {
    const before = performance.now()
    const second = await loam(['serve', '--addr', '127.0.0.1:0'], { folder: folder.path })
    expect(performance.now() - before).toBeLessThan(5000)
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain(String(service.pid))
  })

  test('the bridge serves the SDK’s own client, through a restart of the service', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../bin/loam.mjs'), 'bridge'],
      env: { HOME: folder.path, PATH: process.env['PATH'] ?? '' },
      stderr: 'ignore',
    })
    const client = new Client({ name: 'alice', version: '1' })
    await client.connect(transport)
    const create = (title: string) =>
      client.callTool({ name: 'notes_create', arguments: { title, body: 'b', project: 'global' } })

    expect(await create('Before')).not.toMatchObject({ isError: true })
    await service.stop('SIGKILL')
    const env = { LOAM_ADDR: new URL(service.url).host }
    const [between, second] = await Promise.all([
      create('Between'),
      startService({ folder: folder.path, env }),
    ])
    expect(between).not.toMatchObject({ isError: true })
    await client.close()
    service = second
  })
})

describe('a process that serves', () => {
  const note = { title: 'Slow', body: 'b', project: 'global' }
  let folder: Awaited<ReturnType<typeof openFolder>>
  beforeAll(async () => {
    folder = await openFolder()
  })
  afterAll(() => folder[Symbol.asyncDispose]())
  const start = (env: Record<string, string>) => startService({ folder: folder.path, env })
  const sockets = async () =>
    (await readdir(join(folder.path, 'loam-data'))).filter((name) => name.endsWith('.sock'))

  test('warns when it can be reached from other machines, and when nobody may enter', async () => {
    const service = await start({ LOAM_ADDR: '0.0.0.0:0', LOAM_MCP_API_KEY: '' })
    await vi.waitFor(() => {
      const said = service.stderr()
      expect(said).toContain('warning: 0.0.0.0:0 can be reached from other machines')
      expect(said).toContain('warning: mcp.api_key is empty, so every request is refused')
    }, 60_000)
    await service.stop('SIGKILL')
    expect(await sockets()).toEqual([`loam-${service.pid}.sock`])
  })

  test('starts without the file for its clients where that cannot be written, and says so', async () => {
    const own = join(folder.path, 'loam-data/client.yaml')
    await rm(own, { force: true })
    await mkdir(own)
    await using service = await start({})
    await vi.waitFor(() => expect(service.stderr()).toContain('warning: '), 60_000)
    expect(service.stderr()).toContain(`warning: ${own} cannot be written: the system says EISDIR.`)
    expect(service.stderr()).not.toContain('internal error')
    expect(await service.stop()).toMatchObject({ code: 0 })
    await rm(own, { recursive: true })
  })

  test('sweeps the socket that a killed one left, waits for the call in flight, and sweeps its own', async () => {
    await using service = await start({ LOAM_FAILPOINT: 'before-commit=sleep-1500' })
    expect(await sockets()).toEqual([`loam-${service.pid}.sock`])
    await using agent = await connect(service)
    const writing = agent.call('notes_create', note)
    await new Promise((resolve) => setTimeout(resolve, 700))

    const before = performance.now()
    const ended = service.stop('SIGINT')
    expect(await writing).toMatchObject({ title: 'Slow' })
    expect(await ended).toMatchObject({ code: 0 })
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(await sockets()).toEqual([])
  })

  test('ends at once with a second signal', async () => {
    await using service = await start({ LOAM_FAILPOINT: 'before-commit=sleep-60000' })
    await using agent = await connect(service)
    const writing = agent.call('notes_create', { ...note, title: 'Cut' }).catch(() => 'cut off')
    await new Promise((resolve) => setTimeout(resolve, 700))

    const ended = service.stop()
    await new Promise((resolve) => setTimeout(resolve, 300))
    service.process.kill('SIGTERM')
    const before = performance.now()
    expect(await ended).toMatchObject({ code: 143 })
    // One signal alone lets the write go on for eight seconds, and ends with another code.
    expect(performance.now() - before).toBeLessThan(8000)
    expect(await writing).toBe('cut off')
  })

  test('leaves a store that doctor and reindex open themselves', async () => {
    const dataDir = join(folder.path, 'loam-data')
    await mkdir(join(dataDir, 'notes/global'), { recursive: true })
    await writeFile(join(dataDir, 'notes/global/broken.md'), '---\n: [\n---\n')

    const reindexed = await loam(['reindex'], { folder: folder.path })
    expect(reindexed).toMatchObject({ code: 0 })
    expect(reindexed.stdout).toContain('1 listed as problems')

    const doctor = await loam(['doctor'], { folder: folder.path })
    expect(doctor).toMatchObject({ code: 0 })
    expect(doctor.stdout).toMatch(/warn {2}files {5}notes\/global\/broken\.md: /)
    expect(doctor.stdout).not.toContain('open in process')
  })
})

describe('a start that cannot be is one sentence and exit code 1:', () => {
  const said = (text: string) => text.trim().split('\n')

  test('a configuration that is wrong', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'loam.yaml'), 'adr: 127.0.0.1:1')
    const { code, stderr, stdout } = await loam(['serve'], { folder: folder.path })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(said(stderr)).toEqual([
      `loam: ${join(folder.path, 'loam.yaml')}: unknown key "adr"; did you mean "addr"?`,
    ])
    expect(await readdir(folder.path)).toEqual(['loam.yaml'])
  })

  test('an address that is taken', async () => {
    await using folder = await openFolder()
    await (await openTestDatabase({ onDisk: join(folder.path, 'loam-data') })).close()
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const addr = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const { code, stderr } = await loam(['serve', '--addr', addr], { folder: folder.path })
    other.close()
    expect(code).toBe(1)
    expect(said(stderr).at(-1)).toContain(`loam: cannot listen on ${addr}: the port is taken`)
  })

  test('an address that is none', async () => {
    await using folder = await openFolder()
    const { code, stderr } = await loam(['serve', '--addr', 'here'], { folder: folder.path })
    expect(code).toBe(1)
    expect(stderr).toContain('"here" is not allowed; it must be host:port')
  })

  test('a data directory that is a file', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'file'), '')
    const env = { LOAM_DATA_DIR: join(folder.path, 'file') }
    const { code, stderr } = await loam(['serve'], { folder: folder.path, env })
    expect(code).toBe(1)
    expect(said(stderr)).toEqual([`loam: data_dir: ${folder.path}/file is not a directory`])
  })

  test('a database that is not there, without its password', async () => {
    await using folder = await openFolder()
    const env = { LOAM_DATABASE_URL: 'postgres://loam:canary@127.0.0.1:1/loam' }
    const { code, stderr } = await loam(['serve'], { folder: folder.path, env })
    expect(code).toBe(1)
    expect(said(stderr)).toHaveLength(1)
    expect(stderr).toContain('127.0.0.1:1')
    expect(stderr).not.toContain('canary')
  })
})

test('a data directory with a long path has its socket elsewhere, and it is found', async () => {
  await using folder = await openFolder()
  const dir = join(folder.path, ...Array.from({ length: 12 }, () => 'a-long-name'))
  await mkdir(dir, { recursive: true })
  await using operated = await openOperated({ dir })
  expect(await socketPath(dir, process.pid)).not.toContain(dir)
  expect(await operated.loam('reindex')).toMatchObject({ code: 0 })
  expect((await operated.loam('doctor')).said.join('\n')).toContain(`in process ${process.pid}`)
})

describe('without a running service', () => {
  test('doctor says that nothing stands yet, and makes nothing', async () => {
    await using folder = await openFolder()
    const nothing = await loam(['doctor'], { folder: folder.path })
    expect(nothing.code).toBe(1)
    expect(nothing.stdout).toMatch(/^fail {2}store {5}no store stands here: .*"loam serve"/m)
    // Nothing listens on the port of the discard service.
    const env = { LOAM_DATA_DIR: join(folder.path, 'data'), LOAM_ADDR: '127.0.0.1:9' }
    const { code, stdout } = await loam(['doctor'], { folder: folder.path, env })
    expect(code).toBe(1)
    expect(stdout).toContain('does not exist yet; the first "loam serve" makes it')
    expect(stdout).toMatch(/info {2}service {3}not running at http:\/\/127\.0\.0\.1:9/)
    expect(await readdir(folder.path)).toEqual([])
  })

  test('doctor names what is open to others, with the line that closes it', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'loam.yaml'), 'log: { level: warn }', { mode: 0o644 })
    const { stdout } = await loam(['doctor'], { folder: folder.path })
    const file = join(folder.path, 'loam.yaml')
    expect(stdout).toContain(`${file} is open to other users: chmod 600 ${file}`)
  })

  test('doctor fails, with 1, on a configuration that is wrong', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'loam.yaml'), 'adr: x')
    const { code, stdout } = await loam(['doctor'], { folder: folder.path })
    expect(code).toBe(1)
    expect(stdout).toMatch(/fail {2}config .*unknown key "adr"/)
  })
})
