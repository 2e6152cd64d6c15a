import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/loam.ts'
import { serveOperator } from '../../src/cli/operator-server.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('the owner says', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>
  let house: House
  let operator: { close(): Promise<void> }
  let file: string
  beforeEach(async () => {
    folder = await openFolder()
    const dir = join(folder.path, 'data')
    await mkdir(dir)
    house = await openHouse({ dir })
    operator = await serveOperator(house.app)
    file = join(folder.path, 'loam.yaml')
    await writeFile(file, JSON.stringify({ data_dir: dir }))
  })
  afterEach(async () => {
    await operator.close()
    await house.close()
    await folder[Symbol.asyncDispose]()
  })

  /** The command in this process: what it printed, and its exit code. */
  async function loam(...args: string[]) {
    const [said, complained]: [string[], string[]] = [[], []]
    const spies = [
      vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line)),
      vi.spyOn(console, 'error').mockImplementation((line: string) => void complained.push(line)),
      vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
        complained.push(String(text).trimEnd())
        return true
      }),
    ]
    process.exitCode = 0
    try {
      await run([...args, ...(args.length > 1 ? ['--config', file] : [])])
      return { code: process.exitCode, said, complained: complained.join('\n') }
    } finally {
      process.exitCode = 0
      for (const spy of spies) spy.mockRestore()
    }
  }

  test('which project a directory and a remote belong to, and an agent there is in it', async () => {
    const [src, lib] = [join(folder.path, 'src'), join(folder.path, 'src', 'lib')]
    expect(await loam('map-repo', '--project', 'harbor', '--path', src)).toEqual({
      code: 0,
      said: [`${src} belongs to harbor`],
      complained: '',
    })
    const both = ['--path', lib, '--remote', 'git@github.com:acme/quay.git']
    expect((await loam('map-repo', '--project', 'quay', ...both)).said).toEqual([
      `${lib} belongs to quay`,
      'github.com/acme/quay belongs to quay',
    ])
    expect((await loam('map-repo', '--project', 'tide', '--path', lib)).said).toEqual([
      `${lib} belongs to tide, no longer to quay`,
    ])
    expect((await loam('map-repo', '--project', 'harbor')).said).toEqual([
      `${process.cwd()} belongs to harbor`,
    ])
    const agent = await house.connect()
    const cwd = join(lib, 'deep')
    expect(await agent.call('session_start', { cwd })).toMatchObject({ project: 'tide' })
    await agent.call('session_start', { repo_root: '/elsewhere/reef' })
    expect((await loam('repos', '--config', file)).said.toSorted()).toEqual(
      [
        `${src}  harbor`,
        `${lib}  tide`,
        `${process.cwd()}  harbor`,
        '/elsewhere/reef  reef  (at first sight)',
        'github.com/acme/quay  quay',
      ].toSorted(),
    )
  })

  test('which projects are kin', async () => {
    expect((await loam('family', 'list')).said).toEqual(['There is no family yet.'])
    await house.inside('harbor')
    expect(await loam('family', 'add', 'sea', 'harbor', 'ghost')).toEqual({
      code: 0,
      said: ['harbor, ghost: of the family sea'],
      complained: 'loam: nobody has registered ghost yet',
    })
    expect((await loam('family', 'list')).said).toEqual(['sea: ghost, harbor'])
    expect((await loam('family', 'rm', 'sea', 'ghost')).said).toEqual([
      '1 project taken out of the family sea',
    ])
    expect((await loam('family', 'remove', 'sea')).said).toEqual([
      '1 project taken out of the family sea, which has ended',
    ])
    expect(await loam('family', 'remove', 'sea')).toEqual({
      code: 1,
      said: [],
      complained: 'loam: no family "sea"',
    })
  })

  test.each([
    [['map-repo'], 2, "required option '--project <slug>' not specified"],
    [['map-repo', '--project', 'Big Ship'], 1, 'did you mean "big-ship"'],
    [['map-repo', '--project', 'global'], 1, 'project must be the slug of a project'],
    [['map-repo', '--project', 'x', '--remote', '../x'], 1, 'neither an absolute path nor a'],
    [['family', 'add', 'sea'], 2, "missing required argument 'project'"],
    [['family', 'add', 'Sea', 'harbor'], 1, 'did you mean "sea"'],
  ])('not %j', async (args, code, words) => {
    const said = await loam(...args)
    expect([said.code, said.complained]).toEqual([code, expect.stringContaining(words)])
  })
})
