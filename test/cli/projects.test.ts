import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setParent } from '../../src/projects/projects.ts'
import type { House } from '../helpers/house.ts'
import { openOperated, type Operated } from '../helpers/operator.ts'

describe('the owner says', () => {
  let operated: Operated
  let house: House
  let loam: Operated['loam']
  beforeEach(async () => {
    operated = await openOperated()
    house = operated.house
    loam = operated.loam
  })
  afterEach(() => operated[Symbol.asyncDispose]())

  test('which project a directory and a remote belong to, and an agent there is in it', async () => {
    const [src, lib] = [join(operated.folder, 'src'), join(operated.folder, 'src', 'lib')]
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
      `${operated.folder} belongs to harbor`,
    ])
    const agent = await house.connect()
    const cwd = join(lib, 'deep')
    expect(await agent.call('session_start', { cwd })).toMatchObject({ project: 'tide' })
    await agent.call('session_start', { repo_root: '/elsewhere/reef' })
    expect((await loam('repos')).said.toSorted()).toEqual(
      [
        `${src}  harbor`,
        `${lib}  tide`,
        `${operated.folder}  harbor`,
        '/elsewhere/reef  reef  (at first sight)',
        'github.com/acme/quay  quay',
      ].toSorted(),
    )
  })

  test('which projects are siblings', async () => {
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

  test('what a project is called, and what all is known of it', async () => {
    expect((await loam('project', 'list')).said).toEqual(['There is no project yet.'])
    const agent = await house.inside('harbor')
    await agent.call('notes_create', { title: 'A', body: 'B' })
    expect((await loam('project', 'rename', 'harbor', ' The harbour ')).said).toEqual([
      'harbor is called The harbour',
    ])
    expect((await loam('project', 'list')).said).toEqual([
      'harbor (The harbour)  0 memories, 1 notes, 0 tasks to do',
    ])
    expect(await agent.call('project_list')).toMatchObject({
      projects: [{ slug: 'harbor', name: 'The harbour' }],
    })
    const read = () => readFile(join(house.dir, 'projects', 'harbor.yaml'), 'utf8')
    expect(await read()).toContain('name: The harbour')
    await loam('project', 'rename', 'harbor', 'Port')
    expect(await read()).toMatch(/^id: 01\w+\nslug: harbor\nname: Port\n/)

    await loam('family', 'add', 'sea', 'harbor')
    await loam('map-repo', '--project', 'harbor', '--remote', 'git@github.com:acme/harbor.git')
    expect((await loam('project', 'show', 'harbor')).said).toEqual([
      'slug         harbor',
      expect.stringMatching(/^id {11}01/),
      'name         Port',
      'isolation    open',
      expect.stringMatching(/^created {6}20/),
      'families     sea',
      'places       github.com/acme/harbor',
      'holds        0 memories, 1 notes, 0 tasks to do',
    ])
  })

  test('from which project another inherits, in no circle and through no fence', async () => {
    for (const slug of ['a', 'b', 'c']) await house.inside(slug)
    await house.inside('vault', 'confidential')
    expect((await loam('project', 'parent', 'a', 'b')).said).toEqual(['a inherits from b'])
    expect((await loam('project', 'parent', 'b', 'c')).said).toEqual(['b inherits from c'])
    expect((await loam('project', 'show', 'b')).said).toEqual(
      expect.arrayContaining(['parent       c', 'children     a']),
    )
    const refused = async (...args: string[]) =>
      (await loam('project', 'parent', ...args)).complained
    expect(await refused('c', 'a')).toBe(
      'loam: project a inherits from c; a circle has no beginning',
    )
    expect(await refused('a', 'a')).toBe('loam: project a cannot be its own parent')
    expect(await refused('a', 'vault')).toContain('project vault is confidential')
    expect(await refused('vault', 'a')).toContain('project vault is confidential')
    expect(await refused('a', 'ghost')).toBe('loam: no project "ghost"')
    expect(await refused('a')).toBe('loam: name the parent, or pass --none')
    expect(await refused('a', 'b', '--none')).toBe('loam: name the parent, or pass --none')
    expect((await loam('project', 'parent', 'a', 'c')).said).toEqual([
      'a inherits from c, no longer from b',
    ])
    expect((await loam('project', 'parent', 'a', '--none')).said).toEqual([
      'a inherits from nobody, no longer from c',
    ])
    expect((await loam('project', 'parent', 'c', 'a')).said).toEqual(['c inherits from a'])
  })

  test('of two that would close a circle together only one', async () => {
    const slugs = ['a', 'b', 'c', 'd']
    for (const slug of slugs) await house.inside(slug)
    const { kernel } = house.app
    const links = slugs.map((slug, i) => setParent(kernel, slug, slugs[(i + 1) % slugs.length]!))
    const outcomes = await Promise.allSettled(links)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  test('that a project is out of use, and back; what it knows stays', async () => {
    const agent = await house.inside('harbor')
    const { id } = await agent.call('notes_create', { title: 'A', body: 'B' })
    expect((await loam('project', 'retire', 'harbor')).said).toEqual(['harbor is retired now'])
    expect((await loam('project', 'retire', 'harbor')).said).toEqual(['harbor was retired'])
    expect((await loam('project', 'list')).said[0]).toContain('retired')
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'harbor' })
    const stranger = await house.connect()
    const lost = await stranger.raw('notes_create', { title: 'A', body: 'B' })
    expect(JSON.stringify(lost.content)).toContain('No project is known yet')
    expect((await loam('project', 'unretire', 'harbor')).said).toEqual(['harbor is in use now'])
    expect((await loam('project', 'unretire', 'harbor')).said).toEqual(['harbor was in use'])
  })

  test.each([
    [['project', 'show', 'ghost'], 1, 'loam: no project "ghost"'],
    [['project', 'rename', 'ghost', 'X'], 1, 'loam: no project "ghost"'],
    [['project', 'rename', 'global', 'X'], 1, 'the global scope is none'],
    [['project', 'rename', 'ghost', ' '], 1, 'invalid name ""'],
    [['project', 'retire', 'ghost'], 1, 'loam: no project "ghost"'],
    [['project', 'rename', 'x'], 2, "missing required argument 'name'"],
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
