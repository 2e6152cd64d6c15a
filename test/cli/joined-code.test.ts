import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connect } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { startService } from '../helpers/service.ts'
import { send } from '../helpers/wire.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const JOINS = join(ROOT, 'bin/join-code.mjs')
const { findJoined, joinLater } = (await import(
  pathToFileURL(join(ROOT, 'bin/joined-code.mjs')).href
)) as {
  findJoined(main: string): string | undefined
  joinLater(main: string, afterMs?: number): void
}

let folder: { path: string } & AsyncDisposable
let cache: string
let main: string

beforeEach(async () => {
  folder = await openFolder()
  cache = join(folder.path, 'cache')
  vi.stubEnv('NODE_COMPILE_CACHE', cache)
  main = join(folder.path, 'src/main.ts')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await folder[Symbol.asyncDispose]()
})

const joined = (from = main): Promise<unknown> => run(process.execPath, [JOINS, from])

/** A program that says what it is made of; one module of it is loaded only when asked, and one finds a file beside it. */
async function writeProgram(): Promise<void> {
  await mkdir(join(folder.path, 'src/deep'), { recursive: true })
  const files = {
    'main.ts': `import { word } from './deep/word.ts'
      const { late } = await import('./deep/late.ts')
      console.log([word as string, late(), process.argv[2]].join(' '))`,
    'deep/word.ts': `export const word: string = 'one'`,
    'deep/late.ts': `import { readFileSync } from 'node:fs'
      export const late = () => readFileSync(new URL('../beside.txt', import.meta.url), 'utf8')`,
    'beside.txt': 'two',
  }
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder.path, 'src', name), text)
  // What has just been written may be written again.
  await new Promise((resolve) => setTimeout(resolve, 150))
}

describe('a program', () => {
  beforeEach(writeProgram)

  test('does joined what it does from its sources', async () => {
    expect(findJoined(main)).toBeUndefined()
    await joined()
    const entry = findJoined(main)
    expect(entry).toMatch(/\.mjs$/)
    for (const each of [main, entry!]) {
      const { stdout } = await run(process.execPath, [each, 'three'])
      expect(stdout).toBe('one two three\n')
    }
  })

  test('is read from its sources again when any of them has changed, in whatever way', async () => {
    const word = join(folder.path, 'src/deep/word.ts')
    await joined()
    await appendFile(word, '\n')
    expect(findJoined(main)).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 150))
    await joined()
    expect(findJoined(main)).toBeDefined()
    // As long as before, and as old.
    const at = new Date('2026-01-01')
    await writeFile(word, (await readFile(word, 'utf8')).replace('one', 'six'))
    await utimes(word, at, at)
    expect(findJoined(main)).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 150))
    await joined()
    const { stdout } = await run(process.execPath, [findJoined(main)!, 'three'])
    expect(stdout).toBe('six two three\n')
    await rm(word)
    expect(findJoined(main)).toBeUndefined()
  })

  test('is read from its sources when the joined code is damaged, or not to be read', async () => {
    await joined()
    const entry = findJoined(main)!
    const code = await readFile(entry)
    await writeFile(entry, code.subarray(0, 10))
    expect(findJoined(main)).toBeUndefined()
    const list = (await readdir(join(cache, 'joined'))).find((name) => name.endsWith('.json'))!
    await writeFile(join(cache, 'joined', list), '{"files":')
    expect(findJoined(main)).toBeUndefined()
  })

  test('whose sources change while they are joined is joined at a later start', async () => {
    const word = join(folder.path, 'src/deep/word.ts')
    let working = true
    const work = async (): Promise<void> => {
      while (working) await writeFile(word, `export const word = 'new'`)
    }
    const worked = work()
    await joined()
    working = false
    await worked
    expect(findJoined(main)).toBeUndefined()
    // Nothing is left of it.
    expect(await readdir(join(cache, 'joined'))).toEqual([])
  })

  test('leaves what older services are read from, and removes what nobody starts any more', async () => {
    await joined()
    const first = findJoined(main)!
    await appendFile(join(folder.path, 'src/deep/word.ts'), '\n')
    await new Promise((resolve) => setTimeout(resolve, 150))
    await joined()
    expect(findJoined(main)).not.toBe(first)
    expect(await readFile(first, 'utf8')).toContain('argv')
    const long = new Date(Date.now() - 100 * 24 * 60 * 60 * 1000)
    await utimes(join(first, '..'), long, long)
    await joined()
    await expect(readFile(first)).rejects.toThrow('ENOENT')
  })

  test('is joined later by a process of its own', async () => {
    joinLater(main, 1)
    await expect.poll(() => findJoined(main), { timeout: 20_000 }).toBeDefined()
  })

  test('is not joined where nothing is kept, and where nothing can be written its start is as ever', async () => {
    vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1')
    joinLater(main, 1)
    expect(findJoined(main)).toBeUndefined()
    vi.unstubAllEnvs()
    await writeFile(join(folder.path, 'taken'), '')
    vi.stubEnv('NODE_COMPILE_CACHE', join(folder.path, 'taken'))
    await expect(joined()).rejects.toThrow('ENOTDIR')
    expect(findJoined(main)).toBeUndefined()
  })
})

/** Has a service say which of the two it is read from. */
const SAYS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (/\\/src\\/app\\.ts$|\\/joined\\/.*\\/main\\.mjs$/.test(url)) console.error('read from ' + url)
      return next(url, context)
    },
  })`)}`

test('the service serves from its joined code what it serves from its sources', async () => {
  const source = join(ROOT, 'src/main.ts')
  await joined(source)
  const env = { NODE_COMPILE_CACHE: cache, NODE_OPTIONS: `--import=${SAYS}` }
  await using service = await startService({ folder: folder.path, env })
  const from = service.stderr().match(/(?<=read from file:\/\/).*/g)
  expect(from).toEqual([findJoined(source)])

  await using agent = await connect(service)
  const note = { title: 'T', body: '`code`, and what is **said** of it', project: 'atlas' }
  const { id } = await agent.call('notes_create', note)
  const found = await agent.call('recall', { query: 'said', project: 'atlas' })
  expect(found['hits']).toMatchObject([{ id }])

  const { headers } = await send(service.url, {
    method: 'POST',
    path: '/console/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
    body: new URLSearchParams({ key: service.key }).toString(),
  })
  const cookie = String(headers['set-cookie']).split(';')[0]
  const get = (path: string) => send(service.url, { path, headers: { cookie } })
  const page = await get(`/console/notes/${id}`)
  expect(page.text).toContain('<code>code</code>')
  // The bundler that makes what browsers get is no part of what is joined.
  const sheet = /href="([^"]+\.css)/.exec(page.text)?.[1]
  expect((await get(sheet!)).text).toContain('--')
})
