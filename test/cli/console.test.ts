import { mkdir, readdir, readFile, stat, utimes } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'vitest'
import { openBrowser, visit, browserIsMissing } from '../helpers/browser.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'
import { loam } from '../helpers/in-process.ts'

const KEY = 'a-key-with-"quotes"-and-<brackets>'
const PROGRAM = join(import.meta.dirname, '../../bin/loam.mjs')

/** Something that answers, with any status. */
async function answering(status = 503) {
  const server = createServer((_, answer) => answer.writeHead(status).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/** The command with `--print`, up to the moment when it has printed. */
async function print(env: Record<string, string>) {
  const child = spawn(process.execPath, [PROGRAM, 'console', '--print'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { page: line.trim(), child, ended }
}

describe.concurrent('loam console', () => {
  test('writes a page for its user alone, and removes it after a while', async ({ expect }) => {
    await using folder = await openFolder()
    await using service = await answering()
    const env = {
      HOME: folder.path,
      TMPDIR: folder.path,
      LOAM_URL: `http://0.0.0.0:${service.port}/`,
      LOAM_MCP_API_KEY: KEY,
    }
    const left = join(folder.path, 'loam-console-left-behind')
    await mkdir(left)
    await utimes(left, 1, 1)

    const { page, ended } = await print(env)
    expect((await stat(page)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(page))).mode & 0o777).toBe(0o700)
    const html = await readFile(page, 'utf8')
    expect(html).toContain(`action="http://127.0.0.1:${service.port}/console/login"`)
    expect(html).toContain('value="a-key-with-&quot;quotes&quot;-and-&lt;brackets&gt;"')
    const [code] = await ended
    expect(code).toBe(0)
    expect(await besideCaches(folder.path)).toEqual([])
  })

  test('leaves nothing when it is stopped before', async ({ expect }) => {
    await using folder = await openFolder()
    await using service = await answering(200)
    const { child, ended } = await print({
      HOME: folder.path,
      TMPDIR: folder.path,
      LOAM_URL: `http://127.0.0.1:${service.port}`,
      LOAM_MCP_API_KEY: KEY,
    })
    child.kill('SIGINT')
    await ended
    expect(await besideCaches(folder.path)).toEqual([])
  })

  test('says in words that its page cannot be written', async ({ expect }) => {
    await using folder = await openFolder()
    await using service = await answering()
    const url = `http://127.0.0.1:${service.port}`
    const { code, stderr } = await loam(['console', '--print'], {
      folder: folder.path,
      env: { LOAM_URL: url, LOAM_MCP_API_KEY: KEY, TMPDIR: join(folder.path, 'nowhere') },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^loam: \S+\/nowhere\/loam-console-\w+: the page that signs in cannot be written \(ENOENT\); TMPDIR names/m,
    )
  })

  test('refuses without a key, and where nothing answers within two seconds', async ({
    expect,
  }) => {
    await using folder = await openFolder()
    await using service = await answering()
    const empty = await loam(['console', '--print'], {
      folder: folder.path,
      env: { LOAM_URL: `http://127.0.0.1:${service.port}`, LOAM_MCP_API_KEY: '' },
    })
    expect(empty).toMatchObject({ code: 1, stdout: '' })
    expect(empty.stderr).toContain('no key for')

    const silent = createServer(() => {})
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    for (const url of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
      const away = await loam(['console', '--print'], {
        folder: folder.path,
        env: { LOAM_URL: url, LOAM_MCP_API_KEY: KEY },
      })
      expect(away).toMatchObject({ code: 1, stdout: '' })
      expect(away.stderr.split('\n').slice(1).join('\n')).toBe(
        `loam: nothing answers at ${url}; start the service with "loam serve"\n`,
      )
    }
    silent.closeAllConnections()
    silent.close()
    expect((await readdir(folder.path)).filter((name) => name.startsWith('loam-console'))).toEqual(
      [],
    )
  })

  test.skipIf(browserIsMissing())('signs in, in a real browser', async () => {
    await using folder = await openFolder()
    await using house = await openHouse()
    const {
      page: file,
      child,
      ended,
    } = await print({
      HOME: folder.path,
      TMPDIR: folder.path,
      LOAM_URL: house.url,
      LOAM_MCP_API_KEY: house.key,
    })
    await using browser = await openBrowser()
    await using window = await visit(browser, house.url)
    await window.page.goto(`file://${file}`)
    await window.page.waitForURL(`${house.url}/console/`)
    await window.page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    child.kill()
    await ended
  })
})

/** What lies in a home beside the caches, where compiled code is kept. */
async function besideCaches(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name !== '.cache')
}
