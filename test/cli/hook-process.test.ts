import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { plainClient } from '../../src/cli/client/plain-client.ts'
import { loadClient } from '../../src/config/client.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHookService } from '../helpers/hooks.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'bin/loam-hook.mjs')
const KEY = 'the-key-of-a-service'

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the program as clients do: by the path of Node, with nothing in the environment but a home. */
async function start(
  args: readonly string[],
  { home, stdin = '', node = [] }: { home: string; stdin?: string | null; node?: string[] },
): Promise<Ended> {
  const child = spawn(process.execPath, [...node, PROGRAM, ...args], {
    cwd: '/',
    env: { PATH: '', HOME: home },
  })
  return ended(child, stdin)
}

/** What a program printed until its end. Without an input the pipe stays open. */
function ended(child: ChildProcessWithoutNullStreams, stdin: string | null = ''): Promise<Ended> {
  const out = { stdout: '', stderr: '' }
  child.stdout.on('data', (part: Buffer) => (out.stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => (out.stderr += part.toString()))
  if (stdin !== null) child.stdin.end(stdin)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...out })))
}

/** The client's file of a home, as the service leaves it. */
async function leave(home: string, url: string): Promise<void> {
  await mkdir(join(home, '.config/loam'), { recursive: true })
  await writeFile(join(home, 'key'), `${KEY}\n`)
  await writeFile(join(home, '.config/loam/client.yaml'), `url: ${url}\nkey_file: ${home}/key\n`)
}

/** All modules that a run of the program loads. */
async function loadedBy(args: readonly string[], home: string, stdin: string): Promise<string[]> {
  const [log, watch] = [join(home, 'loaded'), join(home, 'watch.mjs')]
  await writeFile(log, '')
  await writeFile(
    watch,
    `import { appendFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (url.startsWith('file:')) appendFileSync(${JSON.stringify(log)}, url + '\\n')
        return next(url, context)
      },
    })`,
  )
  const { code, stderr } = await start(args, { home, stdin, node: ['--import', watch] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const urls = (await readFile(log, 'utf8')).trim().split('\n')
  return urls.map((url) => fileURLToPath(url).replace(`${ROOT}/`, ''))
}

describe('the program that clients start', () => {
  test.each(['session-start', 'user-prompt-submit', 'stop', 'subagent-start'])(
    'loads for %s no package and few files of its own',
    async (event) => {
      await using folder = await openFolder()
      await using service = await openHookService({ answer: '{"continue":true}' })
      await leave(folder.path, service.url)
      const payload = { session_id: 's', cwd: ROOT, transcript_path: '/nowhere.jsonl' }
      const loaded = await loadedBy(['hook', event], folder.path, JSON.stringify(payload))
      expect(service.posted[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
      expect(loaded).toContain('src/cli/agent/hook/main.ts')
      expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([])
      expect(loaded.length).toBeLessThanOrEqual(18)
    },
  )

  test('prints headers with as little', async () => {
    await using folder = await openFolder()
    await leave(folder.path, 'http://127.0.0.1:9')
    const loaded = await loadedBy(['mcp-headers', '--client', 'codex'], folder.path, '')
    expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(10)
  })

  test('is a bridge with no package either', async () => {
    await using folder = await openFolder()
    await leave(folder.path, 'http://127.0.0.1:9')
    const loaded = await loadedBy(['bridge', '--client', 'codex'], folder.path, '')
    expect(loaded).toContain('src/cli/client/bridge/program.ts')
    expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(24)
  })

  test('keeps its compiled code below the caches of its user', async () => {
    await using folder = await openFolder()
    await leave(folder.path, 'http://127.0.0.1:9')
    expect((await start(['mcp-headers'], { home: folder.path })).code).toBe(0)
    expect(await readdir(join(folder.path, '.cache/loam/code'))).toHaveLength(1)
  })

  test('waits for no pipe that its client leaves open', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    await leave(folder.path, service.url)
    const { code, stdout } = await start(['hook', 'stop'], { home: folder.path, stdin: null })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `{"continue":true,"suppressOutput":true}\n`,
    })
  })

  test('answers in a folder that was removed', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    await leave(folder.path, service.url)
    const cwd = join(folder.path, 'worktree')
    const line = ['-c', '/bin/rmdir "$PWD" && exec "$@"', 'sh', process.execPath, PROGRAM]
    const run = async (...args: string[]) => {
      await mkdir(cwd)
      const child = spawn('/bin/sh', [...line, ...args], { cwd, env: { HOME: folder.path } })
      return ended(child)
    }
    const { code, stdout } = await run('hook', 'session-end')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `{"continue":true,"suppressOutput":true}\n`,
    })
    expect((await run('mcp-headers')).stdout).toContain(KEY)
  })

  test('takes a key without the end of its line, and says what is wrong with one that is none', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const run = (key: string, ...args: string[]) => {
      const env = { HOME: folder.path, LOAM_URL: service.url, LOAM_MCP_API_KEY: key }
      return ended(spawn(process.execPath, [PROGRAM, ...args], { cwd: '/', env }))
    }
    expect(await run(`${KEY}\r\n`, 'hook', 'stop')).toMatchObject({ code: 0, stderr: '' })
    expect(service.posted[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    const said = 'holds more than visible ASCII characters'
    expect((await run('the key “of” it', 'hook', 'session-start')).stdout).toContain(said)
    expect((await run('the key “of” it', 'bridge')).stderr).toContain(said)
  })

  // Only root may start a program as another user.
  test.skipIf(process.getuid?.() !== 0)(
    'answers for a user without a name and a home, as containers have them',
    async () => {
      await using service = await openHookService()
      const env = { LOAM_URL: service.url, LOAM_MCP_API_KEY: KEY }
      const run = (more: object, ...args: string[]) => {
        const at = { cwd: '/', env: { ...env, ...more }, uid: 54_321 }
        return ended(spawn(process.execPath, [PROGRAM, ...args], at))
      }
      expect(await run({}, 'hook', 'stop')).toMatchObject({ code: 0, stderr: '' })
      const away = await run({ LOAM_URL: 'http://127.0.0.1:9' }, 'status')
      expect(away.stderr).toContain('the service cannot be reached')
    },
  )

  test('is the whole program for every other line', async () => {
    await using folder = await openFolder()
    const run = (...args: string[]) => start(args, { home: folder.path })
    const [version, help, unknown, stray] = await Promise.all([
      run('version'),
      run('hook', '--help'),
      run('hook', 'pre-tool-use'),
      run('hook', 'stop', '--nonsense'),
    ])
    expect(version.stdout).toMatch(/^loam \d/)
    expect(help.stdout).toContain('Usage: loam hook')
    expect([version.code, help.code, unknown.code, stray.code]).toEqual([0, 0, 1, 1])
    expect(unknown.stderr).toContain('no hook "pre-tool-use"; there are session-start')
  })

  test.each([['hook', 'session-start'], ['hook', 'session-end'], ['mcp-headers']])(
    'ends well when nobody reads what %s %s prints',
    async (...args) => {
      await using folder = await openFolder()
      await leave(folder.path, 'http://127.0.0.1:9')
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: { PATH: '', HOME: folder.path },
      })
      child.stdout.destroy()
      child.stderr.destroy()
      child.stdin.end('{}')
      const code = await new Promise((resolve) => child.on('exit', resolve))
      expect(code).toBe(0)
    },
  )
})

describe('a plain client file', () => {
  const PLAIN = [
    'url: http://127.0.0.1:8420\nkey_file: KEY\n',
    'url: https://loam.example.org/below/\nkey_file: ./key\n',
    'key_file: KEY\nurl: http://localhost:1\n',
    'url: http://127.0.0.1:8420\n\nkey_file: ~/key\n',
    'url: http://127.0.0.1:8420\nkey_file: KEY\ndata_dir: /srv/loam-data\nconfig: /etc/loam.yaml\n',
  ]
  const OTHERS = [
    '',
    '# a comment\nurl: http://127.0.0.1:8420\nkey_file: KEY\n',
    'url: "http://127.0.0.1:8420"\nkey_file: KEY\n',
    'url: http://127.0.0.1:8420 # here\nkey_file: KEY\n',
    'url: http://me:pw@127.0.0.1:8420\nkey_file: KEY\n',
    'url: http://127.0.0.1:99999\nkey_file: KEY\n',
    'url: http://127.0.0.1:8420\nkey_file: KEY\nstray: 1\n',
    'url: http://127.0.0.1:8420\nkey_file: /a folder/key\n',
    'url: http://127.0.0.1:8420\nurl: http://127.0.0.1:8421\n',
    'url: ftp://127.0.0.1\nkey_file: KEY\n',
    'url: http://127.0.0.1:8420\nkey_file:\n',
    'addr: 127.0.0.1:8420\n',
    'not yaml: [\n',
  ]
  const read = async (text: string, env: Record<string, string> = {}) => {
    await using folder = await openFolder()
    const file = join(folder.path, 'client.yaml')
    await writeFile(join(folder.path, 'key'), KEY)
    await writeFile(file, text.replace('KEY', join(folder.path, 'key')))
    const from = { env: { HOME: folder.path, ...env }, cwd: dirname(file), file }
    const told = async (client: { url: string; key(): Promise<string> } | undefined) =>
      client && { url: client.url, key: await client.key() }
    return {
      quick: await told(plainClient(from)),
      whole: await loadClient(from)
        .then(told)
        .catch(() => undefined),
    }
  }

  test.each(PLAIN)('says the same as the whole reader: %j', async (text) => {
    const { quick, whole } = await read(text)
    expect(quick).toBeDefined()
    expect(quick).toEqual(whole)
    const env = { LOAM_URL: 'http://127.0.0.1:7/x/', LOAM_MCP_API_KEY: 'of-the-environment' }
    const overridden = await read(text, env)
    expect(overridden.quick).toEqual(overridden.whole)
    const byData = await read(text, { LOAM_DATA_DIR: '/nowhere' })
    expect(byData.quick).toEqual(byData.whole)
  })

  test('is not needed when the environment says everything', async () => {
    await using folder = await openFolder()
    const given = { LOAM_URL: 'http://127.0.0.1:7', LOAM_MCP_API_KEY: 'of-the-environment' }
    const from = { env: { HOME: folder.path, ...given }, cwd: '/', file: undefined }
    const [quick, whole] = [plainClient(from), await loadClient(from)]
    expect([quick?.url, await quick?.key()]).toEqual([whole.url, await whole.key()])
    expect(plainClient({ ...from, file: join(folder.path, 'none.yaml') })).toBeUndefined()
    expect(plainClient({ ...from, env: { HOME: folder.path } })).toBeUndefined()
  })

  test.each(OTHERS)('is left to the whole reader when it is not plain: %j', async (text) => {
    expect((await read(text)).quick).toBeUndefined()
  })
})
