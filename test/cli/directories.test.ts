/** Wherever a command is typed, it leaves nothing that it was not told to write, and says what it asked. */
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationOf } from '../../src/cli/commands.ts'
import { serveOperator } from '../../src/cli/operator/store/operator-server.ts'
import { leaveClientFile } from '../../src/config/client-file.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { runOn } from '../helpers/in-process.ts'

/** Where commands are typed: a name, what is made there, and the directory below the world. */
const DIRECTORIES: [string, (root: string) => Promise<unknown>][] = []
const at = (name: string, ...make: ((dir: string) => Promise<unknown>)[]) =>
  DIRECTORIES.push([
    name,
    async (root) => {
      const dir = join(root, name)
      await mkdir(dir, { recursive: true })
      for (const each of make) await each(dir)
    },
  ])
const file = (path: string, text: string) => async (dir: string) => {
  await mkdir(join(dir, path, '..'), { recursive: true })
  await writeFile(join(dir, path), text)
}
const repository = (remote: string) => file('.git/config', `[remote "origin"]\n\turl = ${remote}\n`)
const EVIL = 'http://127.0.0.1:9'

at('empty')
at('a folder with spaces')
at("quo'te")
at('漢字 ünï')
at('new\nline')
at('dash/-q')
at('hidden/.dot')
at(`long/${'x'.repeat(120)}/${'y'.repeat(120)}`)
at('repo', repository('git@example.org:acme/orders.git'))
at('repo/src/deep')
at('repo/.git')
at('no-remote', file('.git/HEAD', 'ref: refs/heads/main\n'))
at('worktree', file('.git', 'gitdir: ../repo/.git/worktrees/w\n'))
at('worktree/below')
at('submodule/inner', file('.git', 'gitdir: ../.git/modules/inner\n'))
at('broken-git', file('.git', 'nothing that git wrote\n'))
at('git-to-nowhere', file('.git', 'gitdir: /nowhere/at/all\n'))
at('hostile/yaml', file('loam.yaml', `addr: 127.0.0.1:9\nbase_url: ${EVIL}\ndata_dir: /etc\n`))
at(
  'hostile/client',
  file('client.yaml', `url: ${EVIL}\n`),
  file('.config/loam/client.yaml', `url: ${EVIL}\n`),
)
at('hostile/not-yaml', file('loam.yaml', ': [\n'))
at('hostile/directory', (dir) => mkdir(join(dir, 'loam.yaml')))
at('hostile/pipe-like', (dir) => symlink('/dev/null', join(dir, 'loam.yaml')))
at('hostile/link', (dir) => symlink('/etc', join(dir, 'loam-data')))
at('hostile/loop', (dir) => symlink('loam-data', join(dir, 'loam-data')))
at('hostile/env', file('.env', `LOAM_URL=${EVIL}\n`), file('.mcp.json', `{"mcpServers":{}}\n`))
at('data/empty', (dir) => mkdir(join(dir, 'loam-data')))
at('data/file', file('loam-data', 'a file\n'))
at('data/other', file('loam-data/notes/mine.md', '# Mine\n'))
at('readonly', (dir) => chmod(dir, 0o500))
at('unreadable', (dir) => chmod(dir, 0o000))

/** Commands that read, with what they need. They are most of what is typed. */
const READERS = [
  ['project', 'list'],
  ['project', 'show', 'atlas'],
  ['doctor'],
  ['repos'],
  ['family', 'list'],
  ['features'],
  ['embeddings'],
  ['plan', 'list'],
  ['key'],
  ['status'],
  ['recall', 'tide'],
  ['ready'],
  ['task', 'list'],
  ['usage'],
  ['sessions'],
]

let world: Awaited<ReturnType<typeof openFolder>>
let house: House
let operator: { close(): Promise<void> }
let home: string
beforeAll(async () => {
  world = await openFolder()
  house = await openHouse()
  await house.inside('atlas')
  operator = await serveOperator(house.app, operationOf)
  home = join(world.path, 'home')
  await mkdir(home)
  await writeFile(join(house.dir, 'api-key'), `${house.key}\n`, { mode: 0o600 })
  const client = { url: house.url, key_file: join(house.dir, 'api-key'), data_dir: house.dir }
  await leaveClientFile(home, house.dir, client)
  for (const [, make] of DIRECTORIES) await make(world.path)
})
afterAll(async () => {
  await operator.close()
  await house[Symbol.asyncDispose]()
  for (const name of ['readonly', 'unreadable']) await chmod(join(world.path, name), 0o700)
  await world[Symbol.asyncDispose]()
})

/** Every path of the world with what it holds. */
async function everything(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    const { mode, mtimeMs } = await lstat(path)
    const what = entry.isFile()
      ? await readFile(path, 'utf8').catch(() => 'unreadable')
      : entry.isSymbolicLink()
        ? await readlink(path)
        : ''
    found[relative(world.path, path)] = `${mode} ${mtimeMs} ${what}`
    if (entry.isDirectory()) Object.assign(found, await everything(path))
  }
  return found
}

describe('in thirty directories, and at home, in the root and where there is none', () => {
  const places = [...DIRECTORIES.map(([name]) => name), 'home', '/', 'removed']

  test('there are as many', () => expect(DIRECTORIES.length).toBeGreaterThanOrEqual(30))

  test.each(places)('%j: each command says what it asked, and leaves not a byte', async (name) => {
    const cwd = name === '/' ? '/' : join(world.path, name)
    const before = await everything(world.path)
    const root = await readdir('/')
    for (const args of READERS) {
      const ran = await runOn(args, { cwd, env: { HOME: home, PATH: process.env['PATH'] } })
      const asked = ran.stderr.split('\n').find((line) => line.startsWith('asked: '))
      const isOperators = [
        'project',
        'doctor',
        'repos',
        'family',
        'features',
        'embeddings',
        'plan',
        'key',
      ]
      const what = isOperators.includes(args[0]!) ? `the store ${house.dir}` : house.url
      expect(asked, args.join(' ')).toContain(`asked: ${what} (${home}/.config/loam/client.yaml)`)
      expect(ran.code, `${args.join(' ')}: ${ran.stderr}`).toBe(0)
    }
    expect(await everything(world.path)).toEqual(before)
    expect(await readdir('/')).toEqual(root)
  })

  test.each(places)(
    '%j: without any service named, none is found, and nothing is made',
    async (name) => {
      const cwd = name === '/' ? '/' : join(world.path, name)
      const nobody = join(world.path, 'nobody')
      const before = await everything(world.path)
      for (const args of READERS) {
        const env = { HOME: nobody, PATH: process.env['PATH'], TMPDIR: nobody }
        const ran = await runOn(args, { cwd, env })
        expect(ran.code, args.join(' ')).toBe(1)
        expect(ran.stdout + ran.stderr, args.join(' ')).toMatch(
          /no store stands|asked: |which does not lie beside it|loam\.yaml: |cannot be read/,
        )
      }
      expect(await everything(world.path)).toEqual(before)
    },
  )
})
