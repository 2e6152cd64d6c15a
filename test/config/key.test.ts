import { randomUUID } from 'node:crypto'
import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { clientFile, leaveClientFile, loadClient } from '../../src/config/client.ts'
import { rotateKey, withKey, withKeyMade } from '../../src/config/key.ts'
import { keyFile } from '../../src/config/key-file.ts'
import { openFolder } from '../helpers/folder.ts'
import { mayMount, mountSmallDisk } from '../helpers/small-disk.ts'

const settingsIn = (cwd: string, env = {}) => loadConfig({ env: { HOME: cwd, ...env }, cwd })

describe('the key', () => {
  test('is generated once, 32 bytes in a file and a directory of the owner alone', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path)
    expect(await withKey(settings)).toBeUndefined()

    const { mcp } = await withKeyMade(settings)

    const path = keyFile(settings.config)
    expect(path).toBe(join(folder.path, 'loam-data/api-key'))
    expect(mcp.api_key).toMatch(/^[0-9a-f]{64}$/)
    expect((await readFile(path, 'utf8')).trim()).toBe(mcp.api_key)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(settings.config.data_dir)).mode & 0o777).toBe(0o700)
    expect((await withKeyMade(settings)).mcp.api_key).toBe(mcp.api_key)
  })

  test('is one and the same for everybody who starts at once', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path)
    const made = await Promise.all(Array.from({ length: 20 }, () => withKeyMade(settings)))

    expect(new Set(made.map(({ mcp }) => mcp.api_key)).size).toBe(1)
    expect(await readdir(settings.config.data_dir)).toEqual(['api-key'])
  })

  test('is not generated when one is configured, if only to nothing', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path, { LOAM_MCP_API_KEY: '' })

    expect((await withKeyMade(settings)).mcp.api_key).toBe('')
    expect(await readdir(settings.config.data_dir)).toEqual([])
  })

  test('is refused when somebody shortened it and others can reach the service', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path, { LOAM_ADDR: '0.0.0.0:1' })
    await withKeyMade(settings)
    await writeFile(keyFile(settings.config), 'short\n')

    await expect(withKey(settings)).rejects.toThrow('has 5 characters; at least 22 are needed')
  })

  test('is replaced whole by a rotation', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path)
    const { mcp: before } = await withKeyMade(settings)

    await rotateKey(keyFile(settings.config))

    const after = await withKey(settings)
    expect(after?.mcp.api_key).toMatch(/^[0-9a-f]{64}$/)
    expect(after?.mcp.api_key).not.toBe(before.api_key)
    expect((await stat(keyFile(settings.config))).mode & 0o777).toBe(0o600)
  })

  test('is alone in its place again after a writer that was killed', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path)
    const dir = settings.config.data_dir
    const leave = async (passedMs: number) => {
      const left = join(dir, `api-key.${randomUUID()}`)
      await writeFile(left, 'half of a k')
      await utimes(left, new Date(), new Date(Date.now() - passedMs))
      return basename(left)
    }
    await mkdir(dir)
    await leave(3_600_000)
    await withKeyMade(settings)
    expect(await readdir(dir)).toEqual(['api-key'])

    await leave(3_600_000)
    // Another process may be in the middle of it.
    const others = await leave(0)
    await rotateKey(keyFile(settings.config))
    expect((await readdir(dir)).toSorted()).toEqual(['api-key', others])
  })

  test.skipIf(!mayMount)('is kept on a full disk, and nothing lies beside it', async () => {
    await using folder = await openFolder()
    const settings = await settingsIn(folder.path)
    const dir = settings.config.data_dir
    await mkdir(dir)
    const unmount = await mountSmallDisk(dir, '64k')
    try {
      const { mcp } = await withKeyMade(settings)
      await expect(writeFile(join(dir, 'full'), Buffer.alloc(65_536))).rejects.toThrow('ENOSPC')
      const path = keyFile(settings.config)
      await expect(rotateKey(path)).rejects.toThrow(
        `${path}: cannot be written: its disk is full; make room`,
      )
      expect((await withKey(settings))?.mcp.api_key).toBe(mcp.api_key)
      expect((await readdir(dir)).toSorted()).toEqual(['api-key', 'full'])
    } finally {
      await unmount()
    }
  })

  test('cannot be made where data_dir is a file: one sentence says so', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'loam-data'), '')
    const making = withKeyMade(await settingsIn(folder.path))
    await expect(making).rejects.toThrow(/^data_dir: .*loam-data is not a directory$/)
  })
})

describe('a client', () => {
  test('finds the service and its key by the file that the first start leaves', async () => {
    await using folder = await openFolder()
    const { mcp } = await withKeyMade(await settingsIn(folder.path))
    const key_file = join(folder.path, 'loam-data/api-key')
    const settings = { url: 'http://127.0.0.1:9', key_file }

    expect(await leaveClientFile(folder.path, folder.path, settings)).toBe(clientFile(folder.path))
    expect(await leaveClientFile(folder.path, folder.path, settings)).toBe(clientFile(folder.path))
    expect((await stat(clientFile(folder.path))).mode & 0o777).toBe(0o600)

    const client = await loadClient({ env: { HOME: folder.path }, cwd: '/' })
    expect(client.url).toBe('http://127.0.0.1:9')
    expect(await client.key()).toBe(mcp.api_key)
  })

  test('is led to a second service by a file beside its data, and to the first as before', async () => {
    await using folder = await openFolder()
    const first = { url: 'http://a', key_file: '/a/api-key' }
    await leaveClientFile(folder.path, folder.path, first)

    const second = await leaveClientFile(folder.path, folder.path, { url: 'http://b' })
    expect(second).toBe(join(folder.path, 'client.yaml'))
    expect((await stat(second)).mode & 0o777).toBe(0o600)
    const env = { HOME: folder.path }
    expect((await loadClient({ env, cwd: '/', file: second })).url).toBe('http://b')
    expect((await loadClient({ env, cwd: '/' })).url).toBe('http://a')

    await leaveClientFile(folder.path, folder.path, { url: 'http://c' })
    expect((await loadClient({ env, cwd: '/', file: second })).url).toBe('http://c')
  })

  test.each([
    ['at the same address', 'http://a'],
    ['at another one', 'http://b'],
  ])('is led to a store that was moved, by the user’s file, %s', async (_, url) => {
    await using folder = await openFolder()
    const [before, after] = ['before', 'after'].map((name) => join(folder.path, name))
    const clientOf = (dir: string, url: string) => ({
      ...{ url, key_file: join(dir, 'api-key'), data_dir: dir },
    })
    await mkdir(before!)
    await writeFile(join(before!, 'api-key'), 'k')
    await leaveClientFile(folder.path, before!, clientOf(before!, 'http://a'))
    await rename(before!, after!)

    const told = await leaveClientFile(folder.path, after!, clientOf(after!, url))

    expect(told).toBe(clientFile(folder.path))
    const client = await loadClient({ env: { HOME: folder.path }, cwd: '/' })
    expect([client.url, await client.key()]).toEqual([url, 'k'])
  })

  test('is led to the first store as before when a copy of it is started', async () => {
    await using folder = await openFolder()
    const [first, copy] = ['first', 'copy'].map((name) => join(folder.path, name))
    const clientOf = (dir: string) => ({
      ...{ url: 'http://a', key_file: join(dir, 'api-key'), data_dir: dir },
    })
    await mkdir(first!)
    await writeFile(join(first!, 'api-key'), 'k')
    await leaveClientFile(folder.path, first!, clientOf(first!))
    await cp(first!, copy!, { recursive: true })

    const told = await leaveClientFile(folder.path, copy!, clientOf(copy!))

    expect(told).toBe(join(copy!, 'client.yaml'))
    expect(await readFile(clientFile(folder.path), 'utf8')).toContain(`data_dir: ${first}\n`)
  })

  test.each(['url: [', 'hello', 'url: http://a\n---\nurl: http://b'])(
    'is led by a file that is written anew where nobody can read it: %j',
    async (text) => {
      await using folder = await openFolder()
      await writeFile(join(folder.path, 'client.yaml'), text)
      await leaveClientFile(folder.path, folder.path, { url: 'http://c', data_dir: folder.path })
      const env = { HOME: '/nonexistent', LOAM_DATA_DIR: folder.path }
      expect((await loadClient({ env, cwd: '/' })).url).toBe('http://c')
    },
  )

  test('takes up a rotated key', async () => {
    await using folder = await openFolder()
    const key_file = join(folder.path, 'key')
    await writeFile(key_file, 'first')
    await leaveClientFile(folder.path, folder.path, { url: 'http://a', key_file })
    const client = await loadClient({ env: { HOME: folder.path }, cwd: '/' })
    expect(await client.key()).toBe('first')
    await writeFile(key_file, 'second')
    expect(await client.key()).toBe('second')
  })

  test('never reads a file below the working directory', async () => {
    await using folder = await openFolder()
    const strange = join(folder.path, 'repository')
    await mkdir(join(strange, '.config/loam'), { recursive: true })
    for (const name of ['loam.yaml', 'client.yaml', '.config/loam/client.yaml'])
      await writeFile(join(strange, name), 'url: http://evil.example')

    const client = await loadClient({ env: { HOME: folder.path }, cwd: strange })

    expect(client.url).toBe('http://127.0.0.1:8420')
    await expect(client.key()).rejects.toThrow(
      'no key for http://127.0.0.1:8420: start "loam serve"',
    )
  })

  test('can be given the service’s own file, and is overridden by the environment', async () => {
    await using folder = await openFolder()
    const file = join(folder.path, 'service.yaml')
    await writeFile(file, 'addr: 0.0.0.0:99\nmcp: { api_key: a-key-that-is-long-enough }')
    const env = { HOME: folder.path, LOAM_CONFIG: file }

    const client = await loadClient({ env, cwd: '/' })
    expect([client.url, await client.key()]).toEqual([
      'http://127.0.0.1:99',
      'a-key-that-is-long-enough',
    ])

    const other = { ...env, LOAM_URL: 'https://loam.example/', LOAM_MCP_API_KEY: 'k' }
    const elsewhere = await loadClient({ env: other, cwd: '/' })
    expect([elsewhere.url, await elsewhere.key()]).toEqual(['https://loam.example', 'k'])
  })

  test.each([
    ['url: loam.example', 'url must be an http:// or https:// address'],
    ['url: http://a\ncolour: red', 'unknown key "colour"; known: url, key_file, data_dir, config'],
    ['key_file: 7', 'key_file must be the path of a file'],
  ])('is told what is wrong with its file: %j', async (text, message) => {
    await using folder = await openFolder()
    await mkdir(join(folder.path, '.config/loam'), { recursive: true })
    await writeFile(clientFile(folder.path), text)
    await chmod(clientFile(folder.path), 0o600)
    const loading = loadClient({ env: { HOME: folder.path }, cwd: '/' })
    await expect(loading).rejects.toThrow(message)
  })
})
