import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  applyPlan,
  retargetProposal,
  undoProposal,
  unhideProposal,
} from '../../src/gardener/gardener.ts'
import { newId } from '../../src/kernel/id.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { moveMemory } from '../../src/memories/memories.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('gardener_split', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = (name: string, more: object = {}) =>
    agent.call('memory_write', {
      ...{ name, kind: 'gotcha', description: `About ${name}`, body: `What ${name} says` },
      ...more,
    })
  const children = [{ slug: 'atlas-web' }, { slug: 'atlas-api' }]
  const pending = async (): Promise<any[]> =>
    (await agent.call('gardener_proposals', { limit: 200 })).proposals
  const moves = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await pending())
        .filter(({ kind }) => kind === 'reproject')
        .map(({ payload }) => [payload.name, payload.to])
        .toSorted(),
    )
  const projects = async () =>
    Object.fromEntries(
      (
        await house.app.database.db
          .selectFrom('projects')
          .select(['slug', 'name', 'parent_slug', 'retired_at'])
          .orderBy('slug')
          .execute()
      ).map(({ slug, name, parent_slug, retired_at }) => [
        slug,
        { name, parent: parent_slug, retired: retired_at !== null },
      ]),
    )

  test('places each memory by the words of the children, and what names none or several in what they share', async () => {
    await write('web-fonts')
    await write('tagged', { tags: ['api'] })
    await write('described', { description: 'The web has it' })
    await write('told', { body: 'Only the api knows.' })
    await write('both', { body: 'The web asks the api.' })
    await write('neither')
    const { total, byKind, skipped } = await agent.call('gardener_split', {
      source: 'atlas',
      children,
    })
    expect({ total, byKind, skipped }).toEqual({
      total: 7,
      byKind: { split: 1, reproject: 6 },
      skipped: [],
    })
    expect(await moves()).toEqual({
      'web-fonts': 'atlas-web',
      tagged: 'atlas-api',
      described: 'atlas-web',
      told: 'atlas-api',
      both: 'atlas-shared',
      neither: 'atlas-shared',
    })
    const setup = (await pending()).find(({ kind }) => kind === 'split')
    expect(setup.payload).toMatchObject({
      source_project: 'atlas',
      shared: { slug: 'atlas-shared' },
      family: 'atlas-shared',
      retire_source: true,
      plan: 'split-atlas',
    })
    expect(await projects()).toEqual({ atlas: { name: 'atlas', parent: null, retired: false } })
  })

  test('takes the caller at its word where it says where a memory goes, and says what it cannot place', async () => {
    await write('web-fonts')
    await write('other')
    const { skipped } = await agent.call('gardener_split', {
      ...{ source: 'atlas', instruction: 'into atlas-web and atlas-api, shared core' },
      assignments: [
        { memory: 'web-fonts', to: 'atlas-api', reason: 'the server renders them' },
        { memory: 'nowhere', to: 'atlas-web' },
        { memory: 'other', to: 'atlas-nowhere' },
      ],
    })
    expect(skipped).toEqual([
      'assignments[1]: there is no memory "nowhere" where you asked',
      'assignments[2]: "atlas-nowhere" is none of atlas-web, atlas-api, core',
    ])
    expect(await moves()).toEqual({ 'web-fonts': 'atlas-api', other: 'core' })
  })

  test('says that a memory stays which is older than all that one split moves', async () => {
    await write('old')
    const { db } = house.app.database
    const old = await db.selectFrom('memories').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: 500 }, (_, n) => ({
      ...{ ...old, id: newId(new Date()), name: `m${n}`, path: `memory/atlas/m${n}.md` },
      updated_at: new Date(old.updated_at.getTime() + 1_000),
    }))
    await db.insertInto('memories').values(rows).execute()

    const { skipped, total } = await agent.call('gardener_split', {
      ...{ source: 'atlas', children, assignments: [{ memory: 'old', to: 'atlas-api' }] },
    })

    expect(total).toBe(501)
    expect(skipped).toEqual([
      'assignments[0]: "old" stays in atlas: the 500 memories that were changed last are moved first; say it again next time',
      'atlas keeps 1 older of its memories and is therefore not retired: split it again',
    ])
  })

  test('names the children by two tags that divide the memories, and asks for names where none do', async () => {
    await write('one')
    await write('two')
    const asked = await agent.call('gardener_split', { source: 'atlas' })
    expect(asked).toMatchObject({ total: 0, guidance: expect.stringContaining('pass children') })
    await write('one', { tags: ['web'] })
    await write('two', { tags: ['api'] })
    await agent.call('gardener_split', { source: 'atlas' })
    expect(await moves()).toEqual({ one: 'web', two: 'api' })
  })

  test('is refused while moves of an earlier split wait, which it would carry out as well', async () => {
    await write('web-fonts')
    await write('other')
    await agent.call('gardener_split', { source: 'atlas', children })
    const setup = (await pending()).find(({ kind }) => kind === 'split')
    await agent.call('gardener_apply', { id: setup.id, action: 'dismiss' })
    const others = { source: 'atlas', children: [{ slug: 'fonts' }, { slug: 'rest' }] }

    await expect(agent.call('gardener_split', others)).rejects.toThrow(
      'moves of an earlier split of atlas wait still (2): decide them first',
    )
    for (const { id } of await pending())
      await agent.call('gardener_apply', { id, action: 'dismiss' })
    await agent.call('gardener_split', others)

    expect(await moves()).toEqual({ 'web-fonts': 'fonts', other: 'atlas-shared' })
    expect(await applyPlan(house.app.kernel, NOBODY, 'split-atlas')).toEqual({ applied: 3, of: 3 })
    expect(Object.keys(await projects())).not.toContain('atlas-web')
  })

  test('is refused once it was hidden, moves and all, until the block is lifted', async () => {
    await write('web-fonts')
    await agent.call('gardener_split', { source: 'atlas', children })
    const setup = (await pending()).find(({ kind }) => kind === 'split')
    for (const { id } of await pending()) {
      await agent.call('gardener_apply', { id, action: id === setup.id ? 'hide' : 'dismiss' })
    }
    const again = () => agent.call('gardener_split', { source: 'atlas', children })
    await expect(again()).rejects.toThrow('a split of atlas was hidden for good')
    expect(await pending()).toEqual([])
    await unhideProposal(house.app.kernel, NOBODY, setup.id)
    expect(await again()).toMatchObject({ byKind: { split: 1, reproject: 1 } })
  })

  test('of two that are asked for at once is proposed as one of them says, and whole', async () => {
    await write('web-fonts')
    await write('api-keys')
    const others = [{ slug: 'fonts' }, { slug: 'keys' }]
    const asked = await Promise.allSettled(
      [children, others].map((children) =>
        agent.call('gardener_split', { source: 'atlas', children }),
      ),
    )
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const { payload } = (await pending()).find(({ kind }) => kind === 'split')
    const made = payload.children.map(({ slug }: { slug: string }) => slug)
    expect(Object.values(await moves()).toSorted()).toEqual(made.toSorted())
    expect(await pending()).toHaveLength(3)
  })

  test('asks for names where a tag can be the name of no child', async () => {
    await write('one', { tags: ['atlas'] })
    await write('two', { tags: ['web'] })
    const guided = { total: 0, guidance: expect.stringContaining('pass children') }
    expect(await agent.call('gardener_split', { source: 'atlas' })).toMatchObject(guided)
    await write('one', { tags: ['c++'] })
    await write('two', { tags: ['c#'] })
    expect(await agent.call('gardener_split', { source: 'atlas' })).toMatchObject(guided)
  })

  test('lets a child that is called so take what no child is named in, and is carried out', async () => {
    await write('web-fonts')
    await write('other')
    const shared = { slug: 'atlas-shared' }
    await agent.call('gardener_split', { source: 'atlas', children: [children[0], shared] })
    expect(await moves()).toEqual({ 'web-fonts': 'atlas-web', other: 'atlas-shared' })
    expect(await applyPlan(house.app.kernel, NOBODY, 'split-atlas')).toEqual({ applied: 3, of: 3 })
    expect(await projects()).toMatchObject({
      atlas: { retired: true },
      'atlas-shared': { parent: null },
      'atlas-web': { parent: null },
    })
  })

  test('leads nothing into a closed project that nobody named', async () => {
    await write('other')
    await house.inside('atlas-shared', 'sealed')
    await expect(agent.call('gardener_split', { source: 'atlas', children })).rejects.toThrow(
      'pass shared to name another',
    )
    expect(await pending()).toEqual([])
    await agent.call('gardener_split', { source: 'atlas', children, shared: { slug: 'core' } })
    expect(await moves()).toEqual({ other: 'core' })
  })

  test('is carried out for a project with the longest of names', async () => {
    const source = 'a'.repeat(78)
    await write('other', { project: source })
    await agent.call('gardener_split', { source, children })
    const applied = await applyPlan(house.app.kernel, NOBODY, `split-${source}`)
    expect(applied).toEqual({ applied: 2, of: 2 })
  })

  test('is refused for what cannot be split, and into what cannot be', async () => {
    await write('one')
    await house.inside('vault', 'confidential')
    const split = (args: object) => agent.call('gardener_split', { source: 'atlas', ...args })
    await expect(split({ source: 'nowhere', children })).rejects.toThrow('nowhere')
    await expect(split({ source: 'global', children })).rejects.toThrow('name the project')
    await expect(split({ source: 'vault', children })).rejects.toThrow('vault')
    await expect(split({ children: children.slice(0, 1) })).rejects.toThrow('two children or more')
    await expect(split({ children: [{ slug: 'web' }, { slug: 'Web' }] })).rejects.toThrow('two')
    await expect(split({ children: [{ slug: 'atlas' }, { slug: 'web' }] })).rejects.toThrow(
      'none of its children',
    )
    await expect(split({ children: [{ slug: 'vault' }, { slug: 'web' }] })).rejects.toThrow(
      'project vault is closed',
    )
    for (const slug of ['all', 'con']) {
      await expect(split({ children: [{ slug }, { slug: 'web' }] })).rejects.toThrow(
        'cannot be a project',
      )
    }
    expect(await pending()).toEqual([])
    await agent.call('project_create', { name: 'Empty' })
    expect(await split({ source: 'empty', children })).toMatchObject({
      total: 0,
      summary: 'nothing was proposed: empty has no active memories of its own',
    })
    await split({ children })
    await expect(split({ children })).rejects.toThrow('is proposed already, as')
  })

  test('carries out the projects first and then the moves, and is final', async () => {
    await write('web-fonts')
    await write('api-keys')
    await write('other')
    await agent.call('gardener_split', { source: 'atlas', children })
    const applied = await applyPlan(house.app.kernel, NOBODY, 'split-atlas')
    expect(applied).toEqual({ applied: 4, of: 4 })
    expect(await projects()).toEqual({
      atlas: { name: 'atlas', parent: null, retired: true },
      'atlas-api': { name: 'atlas-api', parent: 'atlas-shared', retired: false },
      'atlas-shared': { name: 'atlas shared', parent: null, retired: false },
      'atlas-web': { name: 'atlas-web', parent: 'atlas-shared', retired: false },
    })
    expect(await house.files()).toEqual([
      'memory/atlas-api/api-keys.md',
      'memory/atlas-shared/other.md',
      'memory/atlas-web/web-fonts.md',
      'projects/atlas-api.yaml',
      'projects/atlas-shared.yaml',
      'projects/atlas-web.yaml',
    ])
    const moved = await house.events('memory.moved')
    expect(moved.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({
        from: 'atlas',
        to: 'atlas-web',
        plan: 'split-atlas',
        by: 'gardener',
      }),
    )
    const { db } = house.app.database
    const split = await db
      .selectFrom('proposals')
      .select('id')
      .where('kind', '=', 'split')
      .executeTakeFirstOrThrow()
    await expect(undoProposal(house.app.kernel, NOBODY, split.id)).rejects.toThrow('is final')
    await expect(applyPlan(house.app.kernel, NOBODY, 'split-atlas')).rejects.toThrow('split-atlas')
  })

  test('applies as much of a plan as can be, and says why the rest waits', async () => {
    await write('web-fonts')
    await write('api-keys')
    await write('web-fonts', { project: 'atlas-web' })
    await agent.call('gardener_split', { source: 'atlas', children })
    expect(await applyPlan(house.app.kernel, NOBODY, 'split-atlas')).toEqual({
      applied: 2,
      of: 3,
      error: expect.stringContaining('"web-fonts" is taken by another memory in atlas-web'),
    })
    expect(await moves()).toEqual({ 'web-fonts': 'atlas-web' })
  })

  test('moves nothing into a project that was made behind a fence since, or out of one', async () => {
    await write('web-fonts')
    await write('api-keys')
    await write('api-hosts')
    await agent.call('gardener_split', { source: 'atlas', children })
    await house.inside('atlas-web', 'sealed')
    await house.inside('vault', 'confidential')
    const { kernel } = house.app
    const { id } = await agent.call('memory_read', { name: 'api-keys' })
    await moveMemory(kernel, NOBODY, id, 'vault')
    expect(await applyPlan(kernel, NOBODY, 'split-atlas')).toEqual({
      applied: 1,
      of: 4,
      error: 'project atlas-web is sealed; a fenced project joins no split',
    })
    expect((await house.files()).filter((path) => path.startsWith('memory/'))).toEqual([
      'memory/atlas-api/api-hosts.md',
      'memory/atlas/web-fonts.md',
      'memory/vault/api-keys.md',
    ])
  })

  test('a move of its own is applied before the projects are made, and its undo takes the project back', async () => {
    await write('web-fonts')
    await write('api-keys')
    await agent.call('gardener_split', { source: 'atlas', children })
    const before = await projects()
    const move = (await pending()).find(({ payload }) => payload.name === 'web-fonts')
    await agent.call('gardener_apply', { id: move.id })
    expect(Object.keys(await projects())).toEqual(['atlas', 'atlas-web'])
    await undoProposal(house.app.kernel, NOBODY, move.id)
    expect(await projects()).toEqual(before)
  })

  test('a move gets another destination that is there or that its plan makes, and no other', async () => {
    await write('web-fonts')
    await write('api-keys')
    await agent.call('gardener_split', { source: 'atlas', children })
    await house.inside('vault', 'confidential')
    const all = await pending()
    const move = all.find(({ payload }) => payload.name === 'web-fonts')
    const setup = all.find(({ kind }) => kind === 'split')
    const retarget = (to: string, id = move.id) =>
      retargetProposal(house.app.kernel, NOBODY, id, to)
    await expect(retarget('nowhere')).rejects.toThrow('there is no project "nowhere"')
    await expect(retarget('atlas')).rejects.toThrow('"web-fonts" is in atlas already')
    await expect(retarget('vault')).rejects.toThrow('project vault is confidential')
    await expect(retarget('')).rejects.toThrow('to is missing')
    await expect(retarget('atlas-api', setup.id)).rejects.toThrow('only a move has a destination')
    await retarget('atlas-api')
    expect(await moves()).toEqual({ 'web-fonts': 'atlas-api', 'api-keys': 'atlas-api' })
    await retarget('global')
    await agent.call('gardener_apply', { id: move.id })
    expect(await house.files()).toContain('memory/_global/web-fonts.md')
    await expect(retarget('atlas-web')).rejects.toThrow('is already applied')
  })
})
