import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { mapRepo, resolvePlace, type Whereabouts } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

const ORDERS = 'git@github.com:acme/orders.git'

describe('the project of a place', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const start = (where: Whereabouts) => agent.call('session_start', { ...where })
  const places = async () => {
    const rows = await house.app.database.db
      .selectFrom('repos')
      .select(['place', 'project', 'sighted'])
      .orderBy('place')
      .execute()
    return rows.map(({ place, project }) => `${place} → ${project}`)
  }
  const slugs = async () => {
    const rows = await house.app.database.db.selectFrom('projects').select('slug').execute()
    return rows.map(({ slug }) => slug).sort()
  }

  test('is global where nothing is known, and a bare directory registers nothing', async () => {
    expect(await start({})).toMatchObject({
      project: 'global',
      scope: expect.stringMatching(/^global/),
    })
    expect(await start({ cwd: '/home/ana/orders' })).toMatchObject({ project: 'global' })
    expect(await start({ cwd: 'orders', repo: 'nonsense', repo_root: '..' })).toMatchObject({
      project: 'global',
    })
    expect(await start({ repo_root: '/' })).toMatchObject({ project: 'global' })
    expect(await places()).toEqual([])
    expect(await slugs()).toEqual([])
  })

  test('is registered at first sight, by remote and by path', async () => {
    const started = await start({ repo: ORDERS, repo_root: '/home/ana/src/shop', cwd: '/tmp' })
    expect(started).toMatchObject({ project: 'orders' })
    expect(started['scope']).toBe(
      'project "orders", registered for github.com/acme/orders and /home/ana/src/shop',
    )
    expect(await places()).toEqual([
      '/home/ana/src/shop → orders',
      'github.com/acme/orders → orders',
    ])
    expect(await slugs()).toEqual(['orders'])
    expect(await house.events('repo.moved')).toEqual([])
  })

  test('is called after its directory where there is no remote', async () => {
    expect(await start({ repo_root: '/home/ana/src/Tide Tables' })).toMatchObject({
      project: 'tide-tables',
    })
    expect(await start({ cwd: '/home/ana/src/Tide Tables/lib' })).toMatchObject({
      project: 'tide-tables',
      scope: 'project "tide-tables", by the path /home/ana/src/Tide Tables',
    })
    expect(await start({ cwd: '/home/ana/src/Tide Tables 2' })).toMatchObject({ project: 'global' })
  })

  test('follows the remote to a second machine, which is told once', async () => {
    await start({ repo: ORDERS, repo_root: '/home/ana/src/orders' })
    const elsewhere = { repo: 'https://github.com/acme/orders', repo_root: 'C:\\work\\orders' }
    expect(await start(elsewhere)).toMatchObject({
      project: 'orders',
      scope: 'project "orders", by its git remote github.com/acme/orders',
    })
    await start(elsewhere)
    expect(await places()).toEqual([
      '/home/ana/src/orders → orders',
      'C:/work/orders → orders',
      'github.com/acme/orders → orders',
    ])
    expect(await house.events('repo.moved')).toMatchObject([
      {
        project: 'orders',
        payload: {
          slug: 'orders',
          new_path: 'C:/work/orders',
          old_paths: ['/home/ana/src/orders'],
        },
      },
    ])
  })

  test('is the same in a worktree, inside the repository or beside it', async () => {
    await start({ repo: ORDERS, repo_root: '/src/orders' })
    const inside = {
      repo: ORDERS,
      repo_root: '/src/orders/.worktrees/fix',
      cwd: '/src/orders/.worktrees/fix',
    }
    expect(await start(inside)).toMatchObject({ project: 'orders' })
    expect(await house.events('repo.moved')).toEqual([])
    expect(await start({ repo: ORDERS, repo_root: '/src/orders-fix' })).toMatchObject({
      project: 'orders',
    })
    expect(await house.events('repo.moved')).toHaveLength(1)
    expect(await start({ cwd: '/src/orders-fix/lib' })).toMatchObject({ project: 'orders' })
  })

  test('is that of the main checkout for a worktree that lies in another repository', async () => {
    await start({ repo_root: '/src/orders' })
    await start({ repo_root: '/home/ana' })
    const away = { repo_root: '/src/orders', cwd: '/home/ana/worktrees/fix' }
    expect(await start(away)).toMatchObject({ project: 'orders' })
    await mapRepo(house.app.kernel, { place: '/home/ana/worktrees', project: 'owner-said' })
    expect(await start(away)).toMatchObject({ project: 'owner-said' })
  })

  test('gets a number when another repository has its name', async () => {
    await start({ repo: ORDERS, repo_root: '/src/orders' })
    expect(await start({ repo: 'git@github.com:other/orders.git' })).toMatchObject({
      project: 'orders-2',
    })
    expect(await start({ repo_root: '/work/orders' })).toMatchObject({ project: 'orders-3' })
    expect(await start({ repo: 'git@github.com:acme/global.git' })).toMatchObject({
      project: 'global-2',
    })
    expect(await start({ repo: 'git@github.com:acme/con.git' })).toMatchObject({ project: 'con-2' })
  })

  test('takes over an open project of its name, and never a fenced one', async () => {
    await house.inside('atlas')
    await house.inside('crypt', 'sealed')
    expect(await start({ repo: 'git@github.com:acme/atlas.git' })).toMatchObject({
      project: 'atlas',
    })
    const { project, scope } = await start({ repo: 'git@github.com:acme/crypt.git' })
    expect(project).toBe('crypt-2')
    expect(scope).toContain('"crypt" is sealed and has no place yet')
  })

  test('is that of the path before that of the remote, and of the longest path', async () => {
    await mapRepo(house.app.kernel, { place: '/src', project: 'umbrella' })
    await mapRepo(house.app.kernel, { place: '/src/mono/pkg', project: 'pkg' })
    await mapRepo(house.app.kernel, { place: ORDERS, project: 'orders' })
    const mono = { repo: ORDERS, repo_root: '/src/mono' }
    expect(await start({ ...mono, cwd: '/src/mono/pkg/lib' })).toMatchObject({ project: 'pkg' })
    expect(await start({ ...mono, cwd: '/src/mono/pkg2' })).toMatchObject({ project: 'umbrella' })
    expect(await start({ ...mono, repo_root: '/opt/mono' })).toMatchObject({ project: 'orders' })
  })

  test('of a repository within another one is its own when they have different remotes', async () => {
    await start({ repo: 'git@github.com:ana/dotfiles.git', repo_root: '/home/ana' })
    const inner = { repo: ORDERS, repo_root: '/home/ana/src/orders', cwd: '/home/ana/src/orders' }
    expect(await start(inner)).toMatchObject({ project: 'orders' })
    expect(await start({ cwd: '/home/ana/src/orders/lib' })).toMatchObject({ project: 'orders' })
    expect(await start({ cwd: '/home/ana/notes' })).toMatchObject({ project: 'dotfiles' })
  })

  test('learns the remote of a known path, but not from a part of the repository', async () => {
    await start({ repo_root: '/src/orders' })
    await start({ repo: ORDERS, repo_root: '/src/orders', cwd: '/src/orders/lib' })
    expect(await places()).toEqual(['/src/orders → orders', 'github.com/acme/orders → orders'])
    await mapRepo(house.app.kernel, { place: '/src/mono/pkg', project: 'pkg' })
    await start({ repo: 'https://example.org/mono', repo_root: '/src/mono', cwd: '/src/mono/pkg' })
    expect(await places()).not.toContain('example.org/mono → pkg')
  })

  test('may be given outright, before every place; an unknown slug is registered', async () => {
    await start({ repo: ORDERS, repo_root: '/src/orders' })
    const there = { repo: ORDERS, repo_root: '/src/orders' }
    expect(await start({ ...there, project: 'harbor' })).toMatchObject({
      project: 'harbor',
      scope: 'project "harbor", as given',
    })
    expect(await start({ ...there, project: 'global' })).toMatchObject({ project: 'global' })
    expect(await slugs()).toEqual(['harbor', 'orders'])
    await expect(start({ project: 'Harbor Two' })).rejects.toThrow('did you mean "harbor-two"')
    await expect(start({ project: 'all' })).rejects.toThrow('reserved')
  })

  test('goes into a fenced project without a refusal', async () => {
    await house.inside('crypt', 'sealed')
    expect(await start({ project: 'crypt' })).toMatchObject({ project: 'crypt' })
    await mapRepo(house.app.kernel, { place: '/src/crypt', project: 'crypt' })
    expect(await start({ cwd: '/src/crypt/lib' })).toMatchObject({ project: 'crypt' })
  })

  test('is only looked up, not written, by those who ask for no more', async () => {
    const where = { repo: ORDERS, repo_root: '/src/orders' }
    expect(await resolvePlace(house.app.kernel, where, false)).toMatchObject({ project: '' })
    expect(await places()).toEqual([])
    await start(where)
    expect(await resolvePlace(house.app.kernel, { repo: ORDERS }, false)).toMatchObject({
      project: 'orders',
      isolation: 'open',
    })
  })

  describe('where a fence is put up at the same moment', () => {
    /** Answers what began before the project was there for others. */
    const meanwhile = async (where: Whereabouts & { name?: string }) => {
      const { started } = await house.app.database.db.transaction().execute(async (db) => {
        const project = { id: newId(new Date()), slug: 'crypt', name: 'Crypt' }
        await db
          .insertInto('projects')
          .values({ ...project, isolation: 'sealed' })
          .execute()
        const started = start(where)
        await sleep(500)
        return { started }
      })
      return started
    }

    test('is none behind it', async () => {
      expect(await meanwhile({ repo: 'https://example.org/acme/crypt' })).toMatchObject({
        project: 'crypt-2',
        scope: expect.stringContaining('"crypt" is sealed and has no place yet'),
      })
      expect(await places()).toEqual(['example.org/acme/crypt → crypt-2'])
    })

    test('is entered as a fenced one by who names it', async () => {
      expect(await meanwhile({ project: 'crypt', name: 'night' })).toMatchObject({
        ...{ project: 'crypt', name: 'crypt/night' },
      })
    })
  })

  test('is one, however many begin at once in clones of one repository', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => house.connect()))
    const all = await Promise.all(
      agents.map((agent, i) =>
        agent.call('session_start', { repo: ORDERS, repo_root: `/machine-${i}/orders` }),
      ),
    )
    expect(new Set(all.map(({ project }) => project))).toEqual(new Set(['orders']))
    const others = await Promise.all(
      agents.map((agent, i) =>
        agent.call('session_start', { repo: `https://example.org/team-${i}/tide` }),
      ),
    )
    expect(others.map(({ project }) => project).sort()).toEqual([
      'tide',
      'tide-2',
      'tide-3',
      'tide-4',
      'tide-5',
      'tide-6',
    ])
  })
})

test('the map of the configuration lies beneath the stored one', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'loam-map-')), 'loam.yaml')
  await writeFile(
    file,
    'repo_project_map:\n  /src/orders: orders-file\n  github.com/acme/tide: tide-file\n',
  )
  await using house = await openHouse({ env: { LOAM_CONFIG: file } })
  const agent = await house.connect()
  expect(await agent.call('session_start', { cwd: '/src/orders/lib' })).toMatchObject({
    project: 'orders-file',
  })
  expect(await agent.call('session_start', { repo: 'git@github.com:acme/tide' })).toMatchObject({
    project: 'tide-file',
  })
  await mapRepo(house.app.kernel, { place: '/src/orders/', project: 'orders-row' })
  expect(await agent.call('session_start', { cwd: '/src/orders/lib' })).toMatchObject({
    project: 'orders-row',
  })
})
