import { execFile } from 'node:child_process'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { identityHeaders } from '../../src/cli/client/identity-headers.ts'
import { clientProcess, running, seenInList } from '../../src/cli/client/process-key.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'

const run = promisify(execFile)
const KEY = 'the-key-of-a-service-that-takes-hooks'
const PROGRAM = join(import.meta.dirname, '../../bin/loam.mjs')
const HEX = /^[0-9a-f]{32}$/

/** A repository of the test's own, as git leaves one behind. */
async function repository(root: string, remote: string): Promise<string> {
  await mkdir(join(root, '.git'), { recursive: true })
  await writeFile(join(root, '.git/config'), `[remote "origin"]\n\turl = ${remote}\n`)
  return realpath(root)
}

/** A program that asks for its headers in every way in which clients start theirs, and prints them. */
const CLIENT = `
import { execFileSync } from 'node:child_process'
const asked = [process.execPath, process.env.PROGRAM, 'mcp-headers']
const line = asked.map((word) => "'" + word + "'").join(' ')
const ways = {
  direct: asked,
  shell: ['/bin/sh', '-c', line],
  waiting: ['/bin/sh', '-c', line + '; true'],
  nested: ['/usr/bin/env', 'sh', '-c', 'sh -c "' + line + '; true"; true'],
  ours: [process.execPath, process.env.BETWEEN, ...asked],
}
// As some clients do, far from the project.
const headers = ([program, ...args]) =>
  JSON.parse(execFileSync(program, args, { encoding: 'utf8', cwd: '/' }))
console.log(JSON.stringify(Object.values(ways).map(headers)))
`
/** As our own program does when another Node must run it. */
const BETWEEN = `
import { spawnSync } from 'node:child_process'
const [program, ...args] = process.argv.slice(2)
process.exit(spawnSync(program, args, { stdio: 'inherit' }).status)
`

describe.runIf(process.platform !== 'win32')('the key of the client process', () => {
  test('is one for all that a client starts, and another for the client beside it, wherever they start it', async () => {
    await using folder = await openFolder()
    const [client, between] = [join(folder.path, 'client.mjs'), join(folder.path, 'loam.mjs')]
    await writeFile(client, CLIENT)
    await writeFile(between, BETWEEN)
    const env = {
      ...{ PATH: process.env['PATH'], HOME: folder.path, LOAM_MCP_API_KEY: KEY },
      ...{ PROGRAM, BETWEEN: between, NODE: process.execPath, CLIENT: client },
    }
    const both = '"$NODE" "$CLIENT" & "$NODE" "$CLIENT" & wait'
    const root = await repository(folder.path, 'https://me:secret@example.org/acme/orders.git')
    const { stdout } = await run('/bin/sh', ['-c', both], { env, cwd: root })

    const asked = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>[])
    for (const { 'Loam-Process': _, ...rest } of asked.flat()) {
      expect(rest).toEqual({
        Authorization: `Bearer ${KEY}`,
        'Loam-Client': 'claude-code',
        'Loam-Directory': root,
        'Loam-Repo': 'https://example.org/acme/orders.git',
        'Loam-Root': root,
      })
    }
    const clients = asked.map((headers) => headers.map((each) => each['Loam-Process']))
    expect(clients.map((keys) => keys.length)).toEqual([5, 5])
    const distinct = clients.map((keys) => [...new Set(keys)])
    expect(distinct.map((keys) => keys.length)).toEqual([1, 1])
    expect(distinct[0]![0]).toMatch(HEX)
    expect(distinct[0]).not.toEqual(distinct[1])
  })

  test('says whether that process still runs', async () => {
    const own = clientProcess(process.pid)!
    expect(own).toEqual({ key: expect.stringMatching(HEX), pid: process.pid })
    const ended = { ...own, key: 'f'.repeat(32) }
    const never = { key: own.key, pid: 2 ** 30 }
    expect(running([own, ended, never])).toEqual([own])
  })

  test('is nothing for a process whose client has died', () => {
    expect(clientProcess(0)).toBeUndefined()
    expect(clientProcess(2 ** 30)).toBeUndefined()
  })
})

test('a list of processes is read line by line, whatever the programs are called', () => {
  const look = seenInList(
    [
      '    1     0 Sun Nov 22 20:00:00 2026     /sbin/launchd',
      '  501     1 Sun Nov  1 21:00:00 2026     -zsh',
      '  777   501 Sun Nov 22 21:00:01 2026     /Applications/A Client.app/client --flag',
    ].join('\n'),
  )
  expect([1, 501, 777, 5].map((pid) => look(pid)?.name)).toEqual(['launchd', 'zsh', 'A', undefined])
  expect(look(777)).toMatchObject({ parent: 501, began: 'Sun Nov 22 21:00:01 2026' })
})

describe('mcp-headers', () => {
  test('names the client that it is told, and no session that is not its own', async () => {
    await using folder = await openFolder()
    const env = { LOAM_MCP_API_KEY: KEY, GEMINI_SESSION_ID: 'of-a-client-around' }
    const { stdout } = await loam(['mcp-headers', '--client', 'gemini'], {
      folder: folder.path,
      env,
    })
    const { 'Loam-Process': key, ...rest } = JSON.parse(stdout) as Record<string, string>
    expect(rest).toMatchObject({ Authorization: `Bearer ${KEY}`, 'Loam-Client': 'gemini' })
    expect('Loam-Session' in rest).toBe(key === undefined)
  })

  test.each([
    ['https://token@example.org/a.git', 'https://example.org/a.git'],
    ['ssh://git:pw@example.org:22/a.git', 'ssh://git@example.org:22/a.git'],
    ['git@example.org:acme/a.git', 'git@example.org:acme/a.git'],
    ['https://example.org/@scope/a.git', 'https://example.org/@scope/a.git'],
  ])('shows the remote %s as %s', async (written, shown) => {
    await using folder = await openFolder()
    const cwd = await repository(folder.path, written)
    expect((await identityHeaders({ cwd, env: {} }))['Loam-Repo']).toBe(shown)
  })

  test('says a directory in any script so that it can be read back', async () => {
    const cwd = '/srv/Bücher 100%/日本 '
    const { 'Loam-Directory': said = '' } = await identityHeaders({ cwd, env: {} })
    expect(said).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/)
    expect(decodeURIComponent(said)).toBe(cwd)
  })
})
