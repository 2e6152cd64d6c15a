import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Environment, keysOf, loadConfig, publicUrl, variableOf } from '../../src/config.ts'
import { CONFIG } from '../../src/config/schema.ts'
import { openFolder } from '../helpers/folder.ts'

/** Reads a configuration whose file, when there is text for one, is ./loam.yaml. */
async function read(text: string | undefined, env: Environment = {}) {
  await using folder = await openFolder()
  if (text !== undefined) await writeFile(join(folder.path, 'loam.yaml'), text)
  return await loadConfig({ env: { HOME: join(folder.path, 'home'), ...env }, cwd: folder.path })
}

describe('the configuration', () => {
  test('is complete without a file and without variables', async () => {
    const { config, file, keyFrom } = await read(undefined)

    expect(file).toBeUndefined()
    expect(keyFrom).toBeUndefined()
    expect(config.addr).toBe('127.0.0.1:8420')
    expect(config.database).toEqual({ url: '', listen_url: '', pool: 10 })
    expect(config.budgets).toEqual({
      max_briefing_tokens: 1500,
      recall_budget_tokens: 1000,
      tool_event_max_chars: 4000,
    })
    expect(config.features).toEqual({ research: false, momentum: false, gamification: false })
    expect(config.capture.allowed_ports).toEqual([80, 443])
    expect(config.sessions).toEqual({
      idle_minutes: 45,
      turn_idle_minutes: 10,
      expire_minutes: 105,
    })
  })

  test('is complete with an empty file', async () => {
    const { config, file } = await read('# nothing yet\n')
    expect(file).toMatch(/loam\.yaml$/)
    expect(config.search.semantic_floor).toBe(0.3)
  })

  test('takes the environment before the file and the file before the defaults', async () => {
    const text = 'addr: 127.0.0.1:1\nsearch: { semantic_floor: 0.5 }\n'
    const { config } = await read(text, {
      LOAM_ADDR: '127.0.0.1:2',
      LOAM_FEATURES_RESEARCH: 'true',
    })

    expect(config.addr).toBe('127.0.0.1:2')
    expect(config.search.semantic_floor).toBe(0.5)
    expect(config.features.research).toBe(true)
    expect(config.briefing.utility_weight).toBe(0.4)
  })

  test('says of each value where it comes from', async () => {
    const text = 'addr: 127.0.0.1:1\nsearch: { semantic_floor: 0.5 }\nmcp: { api_key: a-key }\n'
    const env = { LOAM_SEARCH_SEMANTIC_FLOOR: '0.4', DATABASE_URL: 'postgres://here/loam' }
    const { origins } = await read(text, env)
    expect(Object.fromEntries(origins)).toMatchObject({
      addr: 'file',
      'mcp.api_key': 'file',
      'search.semantic_floor': { variable: 'LOAM_SEARCH_SEMANTIC_FLOOR' },
      'database.url': { variable: 'DATABASE_URL' },
      'briefing.utility_weight': 'default',
    })
    expect([...origins.keys()]).toEqual([...keysOf(CONFIG)].map(([path]) => path.join('.')))
    const started = await loadConfig({ env: { HOME: '/' }, cwd: '/', addr: '127.0.0.1:0' })
    expect(started.origins.get('addr')).toEqual({ option: '--addr' })
  })

  test('reads lists from a variable, and takes an empty list of ports for the default', async () => {
    const variables = { LOAM_CAPTURE_ALLOWED_PORTS: '80, 8443', LOAM_ALLOWED_HOSTS: 'a.example' }
    const { config } = await read(undefined, variables)
    expect(config.capture.allowed_ports).toEqual([80, 8443])
    expect(config.allowed_hosts).toEqual(['a.example'])

    const { config: emptied } = await read('capture: { allowed_ports: [] }')
    expect(emptied.capture.allowed_ports).toEqual([80, 443])
  })

  test('names DATABASE_URL where that of another program is no address of ours', async () => {
    const theirs = { DATABASE_URL: 'mysql://root:hidden@db/shop' }
    await expect(read(undefined, theirs)).rejects.toThrow(
      /^DATABASE_URL: the value, which is not shown, is not allowed; .*meant for another program/,
    )
    await expect(read(undefined, { LOAM_DATABASE_URL: 'mysql://db/shop' })).rejects.toThrow(
      /^LOAM_DATABASE_URL: the value, which is not shown, is not allowed; it must be a postgres[^;]*$/,
    )
  })

  test.each(['postgres://loam:12#34@db/shop', 'postgres://loam:12/34@db/shop'])(
    'says how a password stands in the address of a database: %s',
    async (url) => {
      await expect(read(undefined, { LOAM_DATABASE_URL: url })).rejects.toThrow(
        /^LOAM_DATABASE_URL: the value, which is not shown, is not allowed; .*# is written %23, \/ %2F/,
      )
      const { config } = await read(undefined, {
        LOAM_DATABASE_URL: url.replace(/(?<=12)./, encodeURIComponent),
      })
      expect(config.database.url).toBe(url.replace(/(?<=12)./, encodeURIComponent))
    },
  )

  test.each(['LOAM_DATABASE_URL', 'LOAM_BASE_URL', 'LOAM_EMBEDDINGS_BASE_URL'])(
    'refuses a space around an address, as a file of variables brings it: %s',
    async (name) => {
      const address = name === 'LOAM_DATABASE_URL' ? 'postgres://db/loam' : 'http://loam.example'
      const key = { LOAM_MCP_API_KEY: 'a-key-that-is-long-enough' }
      await read(undefined, { ...key, [name]: address })
      for (const value of [` ${address}`, `${address} `, `${address}\n`])
        await expect(read(undefined, { ...key, [name]: value })).rejects.toThrow('is not allowed')
    },
  )

  test('reads DATABASE_URL too, beneath its own name', async () => {
    const other = { DATABASE_URL: 'postgres://other/db' }
    expect((await read(undefined, other)).config.database.url).toBe('postgres://other/db')

    const both = { ...other, LOAM_DATABASE_URL: 'postgres://ours/db' }
    expect((await read(undefined, both)).config.database.url).toBe('postgres://ours/db')
  })

  test('counts an empty variable as not set, but for the key', async () => {
    const text = 'mcp: { api_key: from-the-file }\nlog: { level: warn }'
    const { config, keyFrom } = await read(text, { LOAM_LOG_LEVEL: '', LOAM_MCP_API_KEY: '' })
    expect(config.log.level).toBe('warn')
    expect(config.mcp.api_key).toBe('')
    expect(keyFrom).toContain('LOAM_MCP_API_KEY')
  })

  test('says in which file a key was configured, if only to nothing', async () => {
    expect((await read('mcp: { api_key: "" }')).keyFrom).toMatch(/^mcp\.api_key in .*loam\.yaml$/)
  })

  test('gives each key a variable of its own', () => {
    const variables = [...keysOf(CONFIG)].map(([path]) => variableOf(path))
    expect(new Set(variables).size).toBe(variables.length)
    expect(variables).toContain('LOAM_SEARCH_SEMANTIC_FLOOR')
  })

  test('describes each key', () => {
    const silent = [...keysOf(CONFIG)].filter(([, key]) => !key.description)
    expect(silent).toEqual([])
  })
})

describe('the file', () => {
  test('is the one asked for, else the one named, else ./loam.yaml, else the one at home', async () => {
    await using folder = await openFolder()
    const home = join(folder.path, 'home')
    await mkdir(join(home, '.config/loam'), { recursive: true })
    const at = async (name: string, level: string) => {
      const path = join(folder.path, name)
      await writeFile(path, `log: { level: ${level} }`)
      return path
    }
    const level = async (env: Environment, file?: string) =>
      (await loadConfig({ env: { HOME: home, ...env }, cwd: folder.path, file })).config.log.level

    await at('home/.config/loam/loam.yaml', 'debug')
    expect(await level({})).toBe('debug')
    await at('loam.yaml', 'warn')
    expect(await level({})).toBe('warn')
    const named = await at('named.yaml', 'error')
    expect(await level({ LOAM_CONFIG: named })).toBe('error')
    const asked = await at('asked.yaml', 'fatal')
    expect(await level({ LOAM_CONFIG: named }, asked)).toBe('fatal')
  })

  test('is refused when it was asked for and is not there', async () => {
    const missing = loadConfig({ env: { LOAM_CONFIG: '/nowhere/loam.yaml' }, cwd: '/' })
    await expect(missing).rejects.toThrow(
      '/nowhere/loam.yaml: the configuration file cannot be read',
    )
  })

  test('is where a relative data_dir starts; the environment’s starts at the working directory', async () => {
    await using folder = await openFolder()
    const file = join(folder.path, 'loam.yaml')
    await writeFile(file, 'data_dir: kept')
    const dir = async (env: Environment) =>
      (await loadConfig({ env: { HOME: '/home/alice', ...env }, cwd: '/work', file })).config
        .data_dir

    expect(await dir({})).toBe(join(folder.path, 'kept'))
    expect(await dir({ LOAM_DATA_DIR: 'kept' })).toBe('/work/kept')
    expect(await dir({ LOAM_DATA_DIR: '~/kept' })).toBe('/home/alice/kept')
    await writeFile(file, 'data_dir: ~/there')
    expect(await dir({})).toBe('/home/alice/there')
  })
})

describe('what is wrong is named, with what is allowed:', () => {
  test.each([
    ['serach: { semantic_floor: 1 }', 'unknown key "serach"; did you mean "search"?'],
    ['search: { floor: 1 }', 'unknown key "search.floor"; known: semantic_floor'],
    ['search: { semantic_flor: 1 }', 'did you mean "search.semantic_floor"?'],
    [
      'search: { semantic_floor: 1.5 }',
      'search.semantic_floor: 1.5 is not allowed; it must be a number from 0 up to 1',
    ],
    ['search: { semantic_floor: .nan }', 'search.semantic_floor:'],
    ['search: { semantic_floor: "0.3" }', 'search.semantic_floor: "0.3" is not allowed'],
    ['search: 3', 'search must hold keys (semantic_floor)'],
    ['search: [1]', 'search must hold keys'],
    ['addr:', 'addr has no value; give it one (host:port'],
    ['search:', 'search has no value'],
    ['addr: 8420', 'addr: 8420 is not allowed; it must be host:port'],
    ['addr: "127.0.0.1"', 'addr: "127.0.0.1" is not allowed'],
    ['addr: "127.0.0.1:99999"', 'is not allowed'],
    [
      'base_url: loam.example',
      'base_url: "loam.example" is not allowed; it must be an http:// or https://',
    ],
    [
      'allowed_hosts: ["https://a"]',
      'allowed_hosts: ["https://a"] is not allowed; it must be host names',
    ],
    [
      'features: { research: "yes" }',
      'features.research: "yes" is not allowed; it must be true or false',
    ],
    ['embeddings: { provider: openia }', 'one of auto, store, openai, ollama, off'],
    ['embeddings: { dims: 4001 }', 'a whole number from 0 to 4000'],
    ['briefing: { findings_count: 1.5 }', 'a whole number'],
    ['gardener: { dedup_threshold: 0 }', 'a number above 0, up to 1'],
    ['capture: { allowed_ports: [0] }', 'ports from 1 to 65535'],
    ['console: { timezone: Mars/Phobos }', 'a time zone such as Europe/Berlin'],
    ['console: { editor_url: "vscode://file" }', 'a link with {path} in it'],
    ['data_dir: ""', 'data_dir: "" is not allowed'],
    ['repo_project_map: { orders: orders }', 'an absolute path or a git remote'],
    ['repo_project_map: { /srv/orders: "Big Orders" }', 'a project slug on the right'],
    ['project_families: { shop: orders }', 'a list of project slugs'],
    [
      'sessions: { idle_minutes: 200 }',
      'sessions.expire_minutes: 105 is not allowed; it must be more than',
    ],
    ['database: { listen_url: "postgres://a/b" }', 'needs database.url beside it'],
    ['addr: a\n---\naddr: b', 'holds a second YAML document'],
    ['addr: a\naddr: b', 'line 2, column 1 is not valid YAML'],
    ['- addr', 'must hold a mapping'],
    ['addr: [', 'is not valid YAML'],
    ['addr: !secret x', 'is not valid YAML'],
  ])('%j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message)
    await expect(read(text)).rejects.toThrow(/loam\.yaml: |sessions|database/)
  })

  test.each([
    [
      { LOAM_SEARCH_SEMANTIC_FLOR: '1' },
      'LOAM_SEARCH_SEMANTIC_FLOR: no such environment variable; did you mean LOAM_SEARCH_SEMANTIC_FLOOR?',
    ],
    [{ LOAM_COLOUR: 'red' }, 'LOAM_COLOUR: no such environment variable'],
    [
      { LOAM_FEATURES_RESEARCH: 'yes' },
      'LOAM_FEATURES_RESEARCH: "yes" is not allowed; it must be true or false',
    ],
    [
      { LOAM_DATABASE_POOL: '0' },
      'LOAM_DATABASE_POOL: "0" is not allowed; it must be a whole number from 1 to 500',
    ],
    [{ LOAM_DATABASE_POOL: '1e1' }, 'LOAM_DATABASE_POOL'],
    [{ LOAM_DATABASE_POOL: 'many' }, 'LOAM_DATABASE_POOL'],
    [{ LOAM_CAPTURE_ALLOWED_PORTS: '80,http' }, 'LOAM_CAPTURE_ALLOWED_PORTS'],
    [{ LOAM_REPO_PROJECT_MAP: '{}' }, 'can only be set in the configuration file'],
    [{ LOAM_BASE_URL: 'ftp://alice:hunter2@host' }, '"ftp://[secret]@host" is not allowed'],
    [{ LOAM_BASE_URL: 'https://loam.example/?x=1' }, 'without a user, "?" and "#", or nothing'],
  ])('%j', async (env, message) => {
    await expect(read(undefined, env)).rejects.toThrow(message)
  })

  test('all of it at once', async () => {
    const refusal = await read('addr: 1\nlogs: {}', { LOAM_LOG_LEVEL: 'loud' }).catch(String)
    expect(refusal).toContain('addr: 1 is not allowed')
    expect(refusal).toContain('unknown key "logs"; did you mean "log"?')
    expect(refusal).toContain('LOAM_LOG_LEVEL: "loud" is not allowed')
  })

  test.each([
    ['mcp: { api_key: [hunter2] }', {}],
    ['mcp: hunter2', {}],
    ['mcp: { api_key: "hunter2" hunter2', {}],
    ['database: { url: "mysql://a:hunter2@host/db" }', {}],
    ['llm: { openai: { api_key: { hunter2: hunter2 } } }', {}],
    ['addr: 0.0.0.0:8420\nmcp: { api_key: hunter2 }', {}],
    [undefined, { LOAM_DATABASE_URL: 'alice:hunter2@host' }],
    [undefined, { LOAM_EMBEDDINGS_BASE_URL: 'htps://models.example/v1?key=hunter2' }],
    ['llm: { openai: { base_url: "models.example/v1?hunter2#hunter2" } }', {}],
    [undefined, { LOAM_BASE_URL: 'https://loam.example/?key=hunter2' }],
    [undefined, { LOAM_ADDR: '0.0.0.0:1', LOAM_MCP_API_KEY: 'hunter2' }],
    [undefined, { LOAM_MCP_API_KEY: 'hunter2 hunter2' }],
  ])('never the value of a secret: %j %j', async (text, env) => {
    const refusal: unknown = await read(text, env).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Error)
    expect(String(refusal)).not.toContain('hunter2')
  })
})

describe('a short key', () => {
  const short = { LOAM_MCP_API_KEY: 'x'.repeat(21) }

  test.each([
    { LOAM_ADDR: '0.0.0.0:8420' },
    { LOAM_ADDR: '[::]:8420' },
    { LOAM_ADDR: '192.168.0.5:8420' },
    { LOAM_BASE_URL: 'https://loam.example' },
  ])('is refused when others can reach the service: %j', async (env) => {
    const reading = read(undefined, { ...short, ...env })
    await expect(reading).rejects.toThrow('at least 22 are needed')
    const long = { ...env, LOAM_MCP_API_KEY: 'x'.repeat(22) }
    expect((await read(undefined, long)).config.mcp.api_key).toHaveLength(22)
  })

  test.each(['127.0.0.1:1', 'localhost:1', '[::1]:1', '127.8.8.8:1'])(
    'is allowed on %s',
    async (addr) => {
      expect((await read(undefined, { ...short, LOAM_ADDR: addr })).config.addr).toBe(addr)
    },
  )

  test('is not the same as none: an empty key lets nobody in, wherever it listens', async () => {
    const { config } = await read(undefined, { LOAM_ADDR: '0.0.0.0:1', LOAM_MCP_API_KEY: '' })
    expect(config.mcp.api_key).toBe('')
  })
})

test.each([
  ['127.0.0.1:8420', '', 'http://127.0.0.1:8420'],
  ['0.0.0.0:80', '', 'http://127.0.0.1:80'],
  ['[::]:8420', '', 'http://127.0.0.1:8420'],
  ['0.0.0.0:80', 'https://loam.example/', 'https://loam.example'],
])('others reach a service at %s with base_url "%s" at %s', (addr, base_url, url) => {
  expect(publicUrl({ addr, base_url })).toBe(url)
})
