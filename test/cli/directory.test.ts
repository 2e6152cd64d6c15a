/** Commands in a mapped repository mean its project, and say so. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mapRepo } from '../../src/projects/projects.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { linesOf, runOn } from '../helpers/in-process.ts'

let house: House
let folder: Awaited<ReturnType<typeof openFolder>>
beforeAll(async () => {
  house = await openHouse()
  folder = await openFolder()
  for (const [name, level] of Object.entries({ atlas: 'open', crypt: 'sealed' } as const)) {
    const root = join(folder.path, name)
    await mkdir(join(root, '.git'), { recursive: true })
    await mkdir(join(root, 'deep/below'), { recursive: true })
    const remote = `[remote "origin"]\n\turl = git@example.org:acme/${name}.git\n`
    await writeFile(join(root, '.git/config'), remote)
    const agent = await house.inside(name, level)
    await mapRepo(house.app.kernel, { place: root, project: name })
    await agent.call('memory_write', {
      ...{ name: 'tide', kind: 'gotcha', project: name, description: `tide of ${name}`, body: 'b' },
    })
  }
  await mkdir(join(folder.path, 'unmapped'))
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function loam(at: string, ...args: string[]) {
  const env = { HOME: folder.path, LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
  const { code, stdout, stderr } = await runOn(args, { cwd: join(folder.path, at), env })
  return { code, said: linesOf(stdout), complained: linesOf(stderr) }
}
const asked = () => `asked: ${house.url} (LOAM_URL)`
const HERE = 'for: project atlas (this directory)'

test('a search, a queue and a list are those of the directory, however deep', async () => {
  const added = await loam('atlas/deep', 'task', 'add', '--title', 'Dredge')
  expect(added.complained).toEqual([asked(), HERE])
  const id = added.said[0]!
  for (const at of ['atlas', 'atlas/deep/below']) {
    const found = await loam(at, 'recall', 'tide')
    expect(found.said).toEqual(['memory tide (atlas), just now', '  tide of atlas'])
    expect(found.complained.slice(0, 2)).toEqual([asked(), HERE])
    expect((await loam(at, 'ready')).said).toEqual([`${id}  Dredge`])
    expect((await loam(at, 'task', 'list')).said).toEqual([`${id}  open         Dredge`])
  }
  const memory = [
    'remember',
    '--name',
    'ebb',
    '--kind',
    'gotcha',
    '--description',
    'd',
    '--body',
    'b',
  ]
  expect((await loam('atlas/deep', ...memory)).said).toEqual(['written: ebb in atlas'])
  expect((await loam('atlas', 'fav', 'memory', 'ebb')).said).toEqual(['starred: memory ebb'])
})

test('an explicit project goes before the directory, and nothing more is said of it', async () => {
  const found = await loam('atlas', 'ready', '--project', 'global')
  expect(found).toMatchObject({ said: [] })
  expect(found.complained).toEqual([asked(), '0 ready, 0 lapsed, 0 blocked'])
  expect((await loam('atlas', 'ready', '--quiet')).complained).toEqual([
    '1 ready, 0 lapsed, 0 blocked',
  ])
})

test('where no project is known the global scope is searched, and nothing is written', async () => {
  const found = await loam('unmapped', 'recall', 'tide')
  expect(found.complained).toContain(
    'for: global, since this directory belongs to no project; --project names one',
  )
  const written = await loam('unmapped', 'task', 'add', '--title', 'Lost')
  expect(written).toMatchObject({ code: 1, said: [] })
  expect(written.complained.join()).toContain('belongs to no project yet; pass')
})

test('a directory opens no fence: the refusal says what to type, and that opens it', async () => {
  const refused = await loam('crypt', 'recall', 'tide')
  expect(refused).toMatchObject({ code: 1, said: [] })
  expect(refused.complained.at(-1)).toBe(
    'loam: recall: project crypt is sealed; bind a session to it first: pass --session <name> of ' +
      'one that works there; "loam prime" begins one and prints its name',
  )
  const primed = await loam('crypt', 'prime', '--name', 'keeper')
  expect(primed.complained.join()).toContain('session crypt/keeper')
  const found = await loam('crypt', 'recall', 'tide', '--session', 'crypt/keeper')
  expect(found.said).toEqual(['memory tide (crypt), just now', '  tide of crypt'])
  expect(found.complained).toContain('for: project crypt (that of the session)')
})

test('a session begins in the folder that is named from here, as in the one of its whole path', async () => {
  for (const [at, cwd] of [
    ['atlas', '.'],
    ['atlas/deep', 'below'],
    ['unmapped', '../atlas/deep/'],
  ] as const) {
    const primed = await loam(at, 'prime', '--cwd', cwd)
    expect(primed.complained.at(-1)).toContain('project "atlas"')
  }
})
