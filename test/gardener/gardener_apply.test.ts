import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  applyProposal,
  dismissProposal,
  retargetProposal,
  undoProposal,
} from '../../src/gardener/gardener.ts'
import { NOBODY, type Db, type Kernel } from '../../src/kernel/kernel.ts'
import { moveMemory } from '../../src/memories/memories.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('gardener_apply', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    await agent.call('project_create', { name: 'Delta' })
    await write('tides')
    await write('tide-tables')
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = (name: string, project = 'atlas') =>
    agent.call('memory_write', {
      ...{ name, project, kind: 'gotcha', description: `About ${name}`, body: `What ${name} says` },
    })
  const bytes = (name: string, project = 'atlas') =>
    readFile(join(house.dir, 'memory', project, `${name}.md`), 'utf8').catch(() => null)
  const ask = async (...operations: object[]) =>
    agent.call('gardener_request', { request: 'tidy up', operations })
  const propose = async (operation: object): Promise<string> => {
    const { created, skipped } = await ask(operation)
    expect(skipped).toEqual([])
    return created[0]
  }
  const files = async () =>
    Object.fromEntries(
      await Promise.all(
        (await house.files()).map(async (path) => [
          path,
          await readFile(join(house.dir, path), 'utf8'),
        ]),
      ),
    )
  const rows = async () => ({
    memories: await house.app.database.db
      .selectFrom('memories')
      .selectAll()
      .orderBy('id')
      .execute(),
    links: await house.app.database.db.selectFrom('links').selectAll().orderBy('name').execute(),
    projects: await house.app.database.db
      .selectFrom('projects')
      .selectAll()
      .orderBy('slug')
      .execute(),
  })

  const CASES = [
    ['archive', { op: 'archive', target: 'tides', reason: 'over' }, { archived: 'atlas/tides' }],
    ['merge', { op: 'merge', keep: 'tide-tables', drop: 'tides' }, { kept: 'atlas/tide-tables' }],
    [
      'reproject',
      { op: 'reproject', target: 'tides', to: 'delta' },
      { from: 'atlas', to: 'delta' },
    ],
    [
      'rekind',
      { op: 'rekind', target: 'tides', to: 'constraint' },
      { from: 'gotcha', to: 'constraint' },
    ],
  ] as const

  test.each(CASES)(
    '%s is carried out, and taken back byte for byte',
    async (kind, operation, told) => {
      const [before, rowsBefore] = [await files(), await rows()]
      const id = await propose(operation)
      expect(await files()).toEqual(before)
      const listed = await agent.call('gardener_proposals', {})
      expect(listed).toMatchObject({
        count: 1,
        total: 1,
        proposals: [{ id, kind, status: 'pending' }],
      })

      expect(await agent.call('gardener_apply', { id })).toMatchObject({
        status: 'applied',
        kind,
        ...told,
      })
      expect(await files()).not.toEqual(before)
      expect((await agent.call('gardener_proposals', {})).count).toBe(0)
      await expect(agent.call('gardener_apply', { id })).rejects.toThrow(
        `proposal ${id} is already applied`,
      )

      await undoProposal(house.app.kernel, NOBODY, id)
      expect(await files()).toEqual(before)
      expect(await rows()).toEqual(rowsBefore)
      expect((await agent.call('gardener_proposals', {})).proposals).toMatchObject([{ id }])
      await agent.call('gardener_apply', { id })
    },
  )

  test.each([
    ['archive', { op: 'archive', target: 'tides' }, { revived: true }],
    ['merge', { op: 'merge', keep: 'tide-tables', drop: 'tides' }, { revived: true }],
    [
      'reproject',
      { op: 'reproject', target: 'tides', to: 'delta' },
      { from: 'delta', to: 'atlas', restored: true },
    ],
    [
      'rekind',
      { op: 'rekind', target: 'tides', to: 'constraint' },
      { kind_from: 'constraint', kind_to: 'gotcha' },
    ],
  ])('%s that is taken back is told of the memory', async (kind, operation, says) => {
    const { id: item_id } = await agent.call('memory_read', { name: 'tides' })
    const id = await propose(operation)
    await agent.call('gardener_apply', { id })
    await undoProposal(house.app.kernel, NOBODY, id)
    const last = await house.app.database.db
      .selectFrom('events')
      .select(['kind', 'project', 'payload'])
      .where('item_id', '=', item_id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(last).toEqual({
      kind: kind === 'reproject' ? 'memory.moved' : 'memory.written',
      project: 'atlas',
      payload: { name: 'tides', by: 'gardener', ...says },
    })
  })

  test.each(CASES)('%s is not taken back over a later change', async (kind, operation) => {
    const id = await propose(operation)
    await agent.call('gardener_apply', { id })
    const at = kind === 'reproject' ? 'delta' : 'atlas'
    const path = join(house.dir, 'memory', at, 'tides.md')
    const text = await readFile(path, 'utf8')
    await writeFile(path, `${text}\nA hand wrote this.\n`)
    const before = await files()
    await expect(undoProposal(house.app.kernel, NOBODY, id)).rejects.toThrow('was changed after')
    expect(await files()).toEqual(before)
  })

  /** A kernel for which somebody else acts after its first look and before its transaction. */
  const overtaken = (act: () => Promise<unknown>): Kernel => {
    const { kernel } = house.app
    const { db } = kernel
    const execute = async (work: (db: Db) => Promise<unknown>) => {
      await act()
      return db.transaction().execute(work)
    }
    const late = {
      isTransaction: false,
      selectFrom: db.selectFrom.bind(db),
      transaction: () => ({ setIsolationLevel: () => ({ execute }) }),
    }
    return { ...kernel, db: late as unknown as Db }
  }

  test.each([
    ['archive', { op: 'archive', target: 'tides' }],
    [
      'consolidate',
      { op: 'consolidate', name: 'sea', sources: ['tides', 'tide-tables'], body: 'Both.' },
    ],
  ])('a dismissal is not taken back once somebody applied the %s', async (_kind, operation) => {
    const { kernel } = house.app
    const id = await propose(operation)
    await dismissProposal(kernel, NOBODY, id)
    const meanwhile = overtaken(async () => {
      await undoProposal(kernel, NOBODY, id)
      await applyProposal(kernel, NOBODY, id)
    })
    await expect(undoProposal(meanwhile, NOBODY, id)).rejects.toThrow(
      `proposal ${id} is applied by now; nothing was taken back`,
    )
    await expect(agent.call('gardener_apply', { id })).rejects.toThrow('is already applied')
  })

  test('a dismissed one is proposed again on newer evidence, a hidden one never', async () => {
    const id = await propose({ op: 'archive', target: 'tides' })
    expect((await ask({ op: 'archive', target: 'tides' })).skipped).toEqual([
      expect.stringContaining('is proposed already'),
    ])
    expect(await agent.call('gardener_apply', { id, action: 'dismiss' })).toEqual({
      id,
      status: 'dismissed',
    })
    const again = await propose({ op: 'archive', target: 'tides' })
    expect(again).not.toBe(id)
    expect(await agent.call('gardener_apply', { id: again, action: 'hide' })).toEqual({
      id: again,
      status: 'hidden',
    })
    expect((await ask({ op: 'archive', target: 'tides' })).total).toBe(0)
    expect(await bytes('tides')).toContain('What tides says')
  })

  test('a dismissed one is proposed again for who asks, by whatever clock the database goes', async () => {
    await house.moveClock('5 minutes')
    const id = await propose({ op: 'archive', target: 'tides' })
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    await propose({ op: 'archive', target: 'tides' })
  })

  test('tells of a memory that was moved since as of one that lies where it does', async () => {
    await agent.call('project_create', { name: 'Echo' })
    const ids = []
    for (const operation of [
      { op: 'reproject', target: 'tides', to: 'delta' },
      { op: 'reproject', target: 'tides', to: 'echo' },
      { op: 'rekind', target: 'tides', to: 'decision' },
      { op: 'merge', keep: 'tide-tables', drop: 'tides' },
    ]) {
      ids.push(await propose(operation))
    }
    const told = []
    for (const id of ids) told.push(await agent.call('gardener_apply', { id }))
    expect(told).toMatchObject([
      { from: 'atlas', to: 'delta' },
      { from: 'delta', to: 'echo' },
      { rekinded: 'echo/tides' },
      { kept: 'atlas/tide-tables', dropped: 'echo/tides' },
    ])
  })

  test('a move that gets another destination while it is applied goes there', async () => {
    await agent.call('project_create', { name: 'Echo' })
    const id = await propose({ op: 'reproject', target: 'tides', to: 'delta' })
    const { kernel } = house.app
    const { vault } = kernel
    let retargeted = false
    const write: typeof vault.write = async (...asked) => {
      if (!retargeted) await retargetProposal(kernel, NOBODY, id, 'echo')
      retargeted = true
      return vault.write(...asked)
    }
    Object.assign(kernel, { vault: { ...vault, write } })
    const told = await agent.call('gardener_apply', { id })
    Object.assign(kernel, { vault })
    expect(told).toMatchObject({ moved: 'tides', from: 'atlas', to: 'echo' })
    expect(await bytes('tides', 'delta')).toBeNull()
    expect(await bytes('tides', 'echo')).toContain('What tides says')
  })

  test.each([
    ['archive', 'tides', { op: 'archive', target: 'tides' }],
    ['rekind', 'tides', { op: 'rekind', target: 'tides', to: 'constraint' }],
    ['merge', 'tide-tables', { op: 'merge', keep: 'tides', drop: 'tide-tables' }],
  ])(
    '%s changes nothing that went behind a fence after its caller was judged',
    async (_kind, gone, operation) => {
      await house.inside('vault', 'confidential')
      const id = await propose(operation)
      const { kernel } = house.app
      const { vault } = kernel
      const move = async () => {
        const { id } = await kernel.db
          .selectFrom('memories')
          .select('id')
          .where('name', '=', gone)
          .executeTakeFirstOrThrow()
        await moveMemory(kernel, NOBODY, id, 'vault')
      }
      const write: typeof vault.write = async (...asked) => {
        Object.assign(kernel, { vault })
        await move()
        return vault.write(...asked)
      }
      Object.assign(kernel, { vault: { ...vault, write } })
      await expect(agent.call('gardener_apply', { id })).rejects.toThrow(
        `no proposal with id "${id}"`,
      )
      expect(await bytes(gone, 'vault')).toContain('kind: gotcha')
      expect(await bytes(gone, 'vault')).toContain('invalid_at: null')
    },
  )

  test('what several say is not written where a source is that went behind a fence since', async () => {
    await house.inside('vault', 'confidential')
    const sources = ['tides', 'tide-tables']
    const id = await propose({ op: 'consolidate', name: 'sea', sources, body: 'What both say.' })
    const { kernel } = house.app
    await moveMemory(
      kernel,
      NOBODY,
      (await agent.call('memory_read', { name: 'tides' })).id,
      'vault',
    )
    const before = await files()
    await expect(applyProposal(kernel, NOBODY, id)).rejects.toThrow(
      'project vault is confidential: nothing is moved into it or taken out of it',
    )
    expect(await files()).toEqual(before)
  })

  test('what fails stays pending and changes nothing', async () => {
    const id = await propose({ op: 'reproject', target: 'tides', to: 'delta' })
    await write('tides', 'delta')
    const before = await files()
    await expect(agent.call('gardener_apply', { id })).rejects.toThrow(
      'is taken by another memory in delta',
    )
    expect(await files()).toEqual(before)
    expect((await agent.call('gardener_proposals', {})).proposals).toMatchObject([{ id }])
  })

  test.each(['tides', 'tide-lore'])(
    'a consolidation named %j is refused when a source says more by now, and loses none of it',
    async (name) => {
      const sources = ['tides', 'tide-tables']
      const operation = { op: 'consolidate', name, sources, body: 'What both say.' }
      const id = await propose(operation)
      await agent.call('memory_append', { name: 'tides', body: 'They turn at noon.' })
      const before = await files()
      await expect(agent.call('gardener_apply', { id })).rejects.toThrow(
        'atlas/tides was changed after this text was made of it',
      )
      expect(await files()).toEqual(before)

      await agent.call('gardener_apply', { id, action: 'dismiss' })
      const again = await propose(operation)
      // A star changes nothing that it says.
      const { id: starred } = await agent.call('memory_read', { name: 'tide-tables' })
      await agent.call('favorite_set', { kind: 'memory', id: starred, favorite: true })
      await agent.call('gardener_apply', { id: again })
      expect(await bytes(name)).toContain('What both say.')
    },
  )

  test('what waits is listed as far as one answer carries it, and counted whole', async () => {
    const ids: string[] = []
    for (const name of ['ebb', 'flood', 'slack']) {
      await write(name)
      const body = 'tide '.repeat(80_000)
      const sources = ['tides', name]
      ids.push(await propose({ op: 'consolidate', name: `tides-${name}`, sources, body }))
    }
    const listed = async () => {
      const { proposals, count, total } = await agent.call('gardener_proposals', {})
      return { ids: proposals.map(({ id }: { id: string }) => id), count, total }
    }
    expect(await listed()).toEqual({ ids: [ids[2], ids[1]], count: 2, total: 3 })
    await agent.call('gardener_apply', { id: ids[2], action: 'dismiss' })
    expect(await listed()).toEqual({ ids: [ids[1], ids[0]], count: 2, total: 2 })
  })

  test('an operation that cannot be is skipped with its reason, and the others are proposed', async () => {
    const { total, skipped, ambiguous } = await ask(
      { op: 'archive', target: 'nowhere-at-all' },
      { op: 'merge', keep: 'tides', drop: 'tides' },
      { op: 'reproject', target: 'tides', to: 'no-such-project' },
      { op: 'rekind', target: 'tides', to: 'poem' },
      { op: 'rekind', target: 'tides', to: 'gotcha' },
      { op: 'archive' },
      { op: 'archive', target: 'tide' },
      { op: 'archive', target: 'tide-tables' },
    )
    expect(total).toBe(1)
    expect(skipped).toEqual([
      'operations[0] archive: there is no memory "nowhere-at-all" where you asked',
      'operations[1] merge: keep and drop are the same memory, "tides"',
      expect.stringContaining('operations[2] reproject: there is no project "no-such-project"'),
      expect.stringContaining('operations[3] rekind: to must be a kind: '),
      'operations[4] rekind: "tides" is a gotcha already',
      'operations[5] archive: target is missing: name a memory',
      'operations[6] archive: "tide" may mean several memories',
    ])
    expect(ambiguous).toMatchObject([
      { ref: 'tide', candidates: [{ name: 'tides', project: 'atlas' }, { name: 'tide-tables' }] },
    ])
  })
  test('a memory is not made of others under a name that no memory can have', async () => {
    const sources = ['tides', 'tide-tables']
    const { total, skipped } = await ask({ op: 'consolidate', sources, name: 'con', body: 'Both' })
    expect({ total, skipped }).toEqual({
      total: 0,
      skipped: [expect.stringContaining('it is a device name on some systems')],
    })
  })

  test('a memory that is made of others has the name that is printed of it, in its own project alone', async () => {
    const sources = ['tides', 'tide-tables']
    const { skipped } = await ask(
      { op: 'consolidate', sources, name: 'delta/tides', body: 'Both' },
      { op: 'consolidate', sources, name: 'global/tides', body: 'Both' },
    )
    expect(skipped).toEqual([
      expect.stringContaining('"delta/tides" would be in delta, and the new memory is in atlas'),
      expect.stringContaining('"global/tides" would be in global'),
    ])
    const { created } = await agent.call('gardener_request', {
      request: 'consolidate tides, tide-tables into atlas/tides',
    })
    expect(await agent.call('gardener_apply', { id: created[0] })).toMatchObject({
      created: 'atlas/tides',
      superseded: ['atlas/tide-tables'],
    })
  })
})
