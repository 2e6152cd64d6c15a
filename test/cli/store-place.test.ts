/** Which store a command speaks of, and that no command makes one but those that say so. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS, isGroup, load } from '../../src/cli/commands.ts'
import type { Command } from '../../src/cli/command.ts'
import { openFolder } from '../helpers/folder.ts'
import { runOn } from '../helpers/in-process.ts'

const MAKES = ['serve', 'import', 'db copy']

const all = await Promise.all(COMMANDS.flatMap((entry) => (isGroup(entry) ? [] : [load(entry)])))

/** A line that the command understands, with something for each thing that it must be told. */
function lineOf({ name, arguments: taken = {}, options = {} }: Command): string[] {
  const line = name.split(' ')
  for (const spelled of Object.keys(taken))
    if (spelled.startsWith('<') || spelled === '[parent]') line.push('x')
  for (const [spelled, notes] of Object.entries(options))
    if (typeof notes !== 'string' && notes.required)
      line.push(spelled.split(' ')[0]!, name === 'db copy' ? 'postgres://127.0.0.1:1/x' : 'x')
  return line
}

describe('where no store stands', () => {
  test('every command but these speaks of one that stands', () => {
    expect(all.filter(({ makes }) => makes).map(({ name }) => name)).toEqual(['import'])
    const protocols = all.filter(({ protocol }) => protocol).map(({ name }) => name)
    expect(protocols).toEqual(['bridge', 'hook', 'mcp-headers'])
  })

  test.each(all.filter(({ name }) => name !== 'serve').map((each) => [each.name, each] as const))(
    'nothing is made by loam %s',
    async (name, command) => {
      await using folder = await openFolder()
      const [cwd, home] = [join(folder.path, 'here'), join(folder.path, 'home')]
      await Promise.all([mkdir(cwd), mkdir(home)])
      const ran = await runOn(lineOf(command), { cwd, env: { HOME: home, PATH: '', TMPDIR: home } })
      expect(await readdir(cwd)).toEqual([])
      expect(await readdir(home)).toEqual([])
      if (command.for !== 'operator' || (MAKES.includes(name) && name !== 'db copy')) return
      expect(ran.code).toBe(1)
      // The repository of a plan is looked at before its store.
      if (name === 'plan check') return
      const looked = `${home}/.config/loam/client.yaml, ${home}/.config/loam/loam.yaml, ${cwd}/loam.yaml or ${cwd}/loam-data`
      expect(ran.stdout + ran.stderr).toContain(
        `no store stands here: there is no ${looked}. Start one with "loam serve"`,
      )
    },
  )
})

/** As much of a store as is looked at before it is opened. */
async function store(dir: string): Promise<string> {
  await mkdir(join(dir, 'db'), { recursive: true })
  await writeFile(join(dir, '.loam-store'), '01K9ZC4T7Q8V2M5N6P3R1S0WXY\n')
  await writeFile(join(dir, 'api-key'), `${'k'.repeat(40)}\n`, { mode: 0o600 })
  return dir
}

interface World {
  home: string
  cwd: string
  /** Stores by their names. */
  dir(name: string): string
  write(path: string, content: object): Promise<string>
  /** The store that is spoken of, by its name, and what named it; else what is complained. */
  asked(env?: Record<string, string>, ...args: string[]): Promise<string>
}

async function inWorld(test: (world: World) => Promise<void>): Promise<void> {
  await using folder = await openFolder()
  const at = (...parts: string[]) => join(folder.path, ...parts)
  for (const name of ['a', 'b', 'c']) await store(at(name))
  await Promise.all([mkdir(at('home/.config/loam'), { recursive: true }), mkdir(at('here'))])
  const [home, cwd] = [at('home'), at('here')]
  await test({
    home,
    cwd,
    dir: (name) => at(name),
    async write(path, content) {
      await writeFile(at(path), JSON.stringify(content))
      return at(path)
    },
    async asked(env = {}, ...args) {
      const ran = await runOn(['key', ...args], { cwd, env: { HOME: home, ...env } })
      const said = ran.code === 0 ? ran.stdout + ran.stderr : ran.stderr
      return said.replaceAll(folder.path, '~').trimEnd()
    },
  })
}

const key = (dir: string, by: string): string =>
  `~/${dir}/api-key\nasked: the store ~/${dir} (${by})`

describe('a command speaks of', () => {
  test('what --config names, a configuration or a client file, before all else', () =>
    inWorld(async ({ asked, write, dir }) => {
      await write('home/.config/loam/client.yaml', { url: 'http://c', data_dir: dir('c') })
      const service = await write('service.yaml', { data_dir: dir('a') })
      const client = await write('a/client.yaml', { url: 'http://a', data_dir: '.' })
      const env = { LOAM_URL: 'http://b', LOAM_CONFIG: '/nowhere' }
      expect(await asked(env, '--config', service)).toBe(key('a', '--config ~/service.yaml'))
      const other = { ...env, LOAM_DATA_DIR: dir('b') }
      expect(await asked(other, '--config', client)).toBe(key('a', '--config ~/a/client.yaml'))
      // Every variable of a key of the configuration goes before the file; it is said.
      expect(await asked(other, '--config', service)).toBe(
        key('b', 'LOAM_DATA_DIR, over --config ~/service.yaml'),
      )
    }))

  test('what the environment names, before the files of the user', () =>
    inWorld(async ({ asked, write, dir }) => {
      await write('home/.config/loam/client.yaml', { url: 'http://c', data_dir: dir('c') })
      const file = await write('service.yaml', { data_dir: dir('a') })
      expect(await asked({ LOAM_CONFIG: file })).toBe(key('a', 'LOAM_CONFIG ~/service.yaml'))
      expect(await asked({ LOAM_DATA_DIR: '../b' })).toBe(key('b', 'LOAM_DATA_DIR'))
      expect(await asked({ LOAM_URL: 'http://c/' })).toBe(key('c', 'LOAM_URL'))
      expect(await asked({ LOAM_URL: 'http://d' })).toBe(
        'asked: http://d (LOAM_URL)\nloam: where the store of http://d (LOAM_URL) lies is not known ' +
          'here. On its machine, or for another store, type: loam key --config <its loam.yaml> or: ' +
          'LOAM_DATA_DIR=<its data directory> loam key',
      )
    }))

  test('the service of the user’s client file, before what stands here, which is named', () =>
    inWorld(async ({ asked, write, dir }) => {
      const file = 'home/.config/loam/client.yaml'
      await write(file, { url: 'http://c', data_dir: dir('c') })
      expect(await asked()).toBe(key('c', `~/${file}`))
      await store(dir('here/loam-data'))
      const other = '; the one here is named by LOAM_DATA_DIR=./loam-data'
      expect(await asked()).toBe(key('c', `~/${file}`) + other)
      await write('here/loam.yaml', {})
      expect(await asked()).toContain('; the one here is named by --config ./loam.yaml')
      // A file of an earlier version names only the key.
      await write(file, { url: 'http://c', key_file: join(dir('a'), 'api-key') })
      expect(await asked()).toContain(key('a', `~/${file}`))
      await write(file, { url: 'https://elsewhere.example' })
      expect(await asked()).toContain('type: loam key --config ./loam.yaml')
    }))

  test('the service that was started with a file of its own, with that file', () =>
    inWorld(async ({ asked, write, dir }) => {
      const config = await write('service.yaml', { mcp: { api_key: 'a-key-that-is-long-enough' } })
      await write('home/.config/loam/client.yaml', { url: 'http://c', data_dir: dir('c'), config })
      expect(await asked()).toMatch(/^mcp.api_key in ~\/service.yaml\nasked: the store ~\/c /)
      await write('c/client.yaml', { url: 'http://c', data_dir: dir('c'), config })
      expect(await asked({ LOAM_DATA_DIR: dir('c') })).toMatch(/^mcp.api_key in ~\/service.yaml\n/)
    }))

  test('what stands here, at last: the user’s own file, ./loam.yaml, ./loam-data', () =>
    inWorld(async ({ asked, write, dir }) => {
      await store(dir('here/loam-data'))
      expect(await asked()).toBe(key('here/loam-data', '~/here/loam-data'))
      await store(dir('here/data'))
      await write('here/loam.yaml', { data_dir: 'data' })
      expect(await asked()).toBe(key('here/data', '~/here/loam.yaml'))
      await write('home/.config/loam/loam.yaml', { data_dir: dir('b') })
      expect(await asked()).toContain(key('b', '~/home/.config/loam/loam.yaml'))
    }))
})

test('a copy on which no service was started leads to no service of the store that it was made of', () =>
  inWorld(async ({ write, dir, home, cwd }) => {
    await write('a/client.yaml', {
      url: 'http://127.0.0.1:1',
      data_dir: dir('a'),
      config: dir('x'),
    })
    await cp(dir('a'), dir('copy'), { recursive: true })
    const env = { HOME: home, PATH: '', LOAM_DATA_DIR: dir('copy') }

    const asked = await runOn(['status'], { cwd, env })
    expect(asked.stderr).toBe(
      `loam: LOAM_DATA_DIR: ${dir('copy')} is a copy of the store ${dir('a')}, and its client.yaml leads to the ` +
        'service of that one. Start a service on the copy with "loam serve" first, or name the other\n',
    )
    await rm(join(dir('copy'), 'db'), { recursive: true })
    const { stdout } = await runOn(['doctor'], { cwd, env })
    expect(stdout).toContain(`none was started yet on this copy of ${dir('a')}\n`)
    // One that was moved leads where it led.
    await rm(dir('a'), { recursive: true })
    expect((await runOn(['status'], { cwd, env })).stderr).toContain('http://127.0.0.1:1')
  }))

test('doctor and status speak of the same service, whatever names it', () =>
  inWorld(async ({ home, cwd, write, dir }) => {
    const dead = (port: number) => `http://127.0.0.1:${port}`
    const said = async (env: Record<string, string> = {}, ...args: string[]) => {
      const machine = { cwd, env: { HOME: home, ...env } }
      const doctor = await runOn(['doctor', ...args], machine)
      const status = await runOn(['status', ...args], machine)
      const [, asked] =
        /service {3}(?:not running|does not answer) at (\S+)/.exec(doctor.stdout) ?? []
      expect(status.stderr).toMatch(new RegExp(`^asked: ${asked} \\(`))
      expect(status.stderr).toContain(`loam: ${asked}: the service cannot be reached`)
      return asked
    }
    // A server that is away: nothing is opened.
    const database = { url: 'postgres://127.0.0.1:1/x' }
    await store(dir('here/loam-data'))
    await write('here/loam.yaml', { addr: '127.0.0.1:4', database })
    expect(await said()).toBe(dead(4))
    await write('home/.config/loam/loam.yaml', {
      addr: '127.0.0.1:5',
      data_dir: dir('b'),
      database,
    })
    expect(await said()).toBe(dead(5))
    const key_file = join(dir('c'), 'api-key')
    const LOAM_DATABASE_URL = database.url
    await write('home/.config/loam/client.yaml', { url: dead(6), key_file })
    expect(await said({ LOAM_DATABASE_URL })).toBe(dead(6))
    const LOAM_MCP_API_KEY = 'a-key-of-quite-some-length'
    const away = { LOAM_DATABASE_URL, LOAM_MCP_API_KEY }
    expect(await said({ ...away, LOAM_URL: dead(7) })).toBe(dead(7))
    expect(await said({ ...away, LOAM_URL: dead(7), LOAM_DATA_DIR: dir('a') })).toBe(dead(7))
    await write('a/client.yaml', { url: dead(8), key_file })
    expect(await said({ ...away, LOAM_DATA_DIR: dir('a') })).toBe(dead(8))
    const file = await write('service.yaml', { addr: '127.0.0.1:9', data_dir: dir('a'), database })
    expect(await said({ ...away, LOAM_CONFIG: file })).toBe(dead(9))
    expect(await said({ ...away, LOAM_URL: dead(7) }, '--config', file)).toBe(dead(9))
    expect(await said(away, '--config', join(dir('a'), 'client.yaml'))).toBe(dead(8))
  }))

describe('a file that only stands where somebody works', () => {
  test('speaks of no store that lies elsewhere', () =>
    inWorld(async ({ asked, write, dir, cwd }) => {
      const said = 'which does not lie beside it'
      await write('here/loam.yaml', { data_dir: dir('a') })
      expect(await asked()).toContain(said)
      await write('here/loam.yaml', { data_dir: '../a' })
      expect(await asked()).toContain(said)
      await symlink(dir('a'), join(cwd, 'link'))
      await write('here/loam.yaml', { data_dir: 'link' })
      expect(await asked()).toContain(said)
      expect(await asked({}, '--config', 'loam.yaml')).toContain('asked: the store ~/here/link')
    }))

  test('gets no key of the user, by whatever command', () =>
    inWorld(async ({ home, cwd, write, dir }) => {
      const heard: string[] = []
      const evil = createServer(({ headers }, answer) => {
        heard.push(String(headers.authorization))
        answer.end('{}')
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => evil.once('listening', resolve))
      const addr = `127.0.0.1:${(evil.address() as AddressInfo).port}`
      await store(dir('here/loam-data'))
      await write('here/loam.yaml', {
        addr,
        database: { url: 'postgres://127.0.0.1:1/x' },
        embeddings: { base_url: `http://${addr}` },
      })
      await write('here/client.yaml', { url: `http://${addr}` })
      const secret = 'the-key-of-the-user-in-the-environment'
      const env = { HOME: home, PATH: '', TMPDIR: home, LOAM_MCP_API_KEY: secret }
      for (const command of all.filter(({ name }) => name !== 'serve')) {
        const keys = { ...env, LOAM_EMBEDDINGS_API_KEY: secret }
        await runOn(lineOf(command), { cwd, env: keys })
      }
      evil.close()
      expect(heard).not.toEqual([])
      expect(heard.filter((each) => each.includes(secret))).toEqual([])
    }))
})
