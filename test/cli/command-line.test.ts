import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/loam.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

describe('the command line', () => {
  test('lists every command, one line each', async () => {
    await using folder = await openFolder()
    const { code, stdout } = await loam(['--help'], { folder: folder.path })
    expect(code).toBe(0)
    for (const command of (await program()).commands)
      expect(stdout).toMatch(new RegExp(`^  ${command.name()} .*\\w{3}`, 'm'))
  })

  test('explains each command, and those below it', async () => {
    const explained = (command: Command, path: string): void => {
      const names = [path, ...command.aliases()].join('|')
      expect(command.helpInformation()).toContain(`Usage: ${names} [`)
      for (const below of command.commands) explained(below, `${path} ${below.name()}`)
    }
    explained(await program(), 'loam')
  })

  test.each(['serve', 'key rotate', 'hook', 'db copy'])(
    'explains %s when asked',
    async (command) => {
      await using folder = await openFolder()
      const { code, stdout } = await loam([...command.split(' '), '--help'], {
        folder: folder.path,
      })
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: loam ${command}`)
    },
  )

  test.each([
    [[], 'Usage: loam'],
    [['srve'], "unknown command 'srve'"],
    [['serve', '--port', '1'], "unknown option '--port'"],
    [['version', 'now'], 'too many arguments'],
    [['db'], 'Usage: loam db'],
    [['db', 'copy'], "required option '--to <url>' not specified"],
    [['key', '--config'], 'argument missing'],
  ])('ends with 2 when it was not understood: %j', async (args, message) => {
    await using folder = await openFolder()
    const { code, stderr, stdout } = await loam(args, { folder: folder.path })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('tells its version and its Node', async () => {
    await using folder = await openFolder()
    const { stdout } = await loam(['version'], { folder: folder.path })
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(stdout).toContain(`loam ${version} `)
    expect(stdout).toContain(`Node ${process.versions.node}`)
  })
})

describe('loam key', () => {
  const key = 'a-key-of-quite-some-length'

  test('says that there is none yet, and shows none', async () => {
    await using folder = await openFolder()
    const said = await loam(['key'], { folder: folder.path })
    expect(said).toMatchObject({ code: 1, stdout: '' })
    expect(said.stderr).toContain('no store stands here')
    expect(await loam(['key', '--show'], { folder: folder.path })).toMatchObject({
      code: 1,
      stdout: '',
    })
  })

  test('says where a configured one stands, and prints it only when asked', async () => {
    await using folder = await openFolder()
    const where = { folder: folder.path, env: { LOAM_MCP_API_KEY: key } }
    expect(await loam(['key'], where)).toEqual({
      code: 0,
      stdout: 'the environment variable LOAM_MCP_API_KEY\n',
      stderr: '',
    })
    expect(await loam(['key', '--show'], where)).toMatchObject({ code: 0, stdout: `${key}\n` })
    const rotated = await loam(['key', 'rotate'], where)
    expect(rotated).toMatchObject({ code: 1 })
    expect(rotated.stderr).toContain('the key is set by the environment variable')
  })
})

describe('on an older Node', () => {
  const older = ['/usr/bin/node', '/usr/local/bin/node'].find(isOlder) ?? ''

  test.runIf(older)('the program runs itself on the pinned one', async () => {
    const { stdout } = await run(older, [join(ROOT, 'bin/loam.mjs'), 'version'])
    expect(stdout).toContain(`Node ${process.versions.node}`)
  })

  test.runIf(older)('exit codes come through', async () => {
    const failed = run(older, [join(ROOT, 'bin/loam.mjs'), 'nonsense'])
    await expect(failed).rejects.toMatchObject({ code: 2 })
  })

  test.runIf(older)('it says what is needed where there is no pinned one', async () => {
    await using folder = await openFolder()
    await mkdir(join(folder.path, 'bin'))
    await copyFile(join(ROOT, 'bin/loam.mjs'), join(folder.path, 'bin/loam.mjs'))
    const failed = run(older, [join(folder.path, 'bin/loam.mjs'), 'serve'])
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^loam: needs Node 24 or newer; this is Node \d+\.\d+\.\d+\. Run/,
      ),
    })
  })
})

function isOlder(node: string): boolean {
  if (!existsSync(node)) return false
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return Number(/^v(\d+)/.exec(stdout)?.[1]) < 24
}
