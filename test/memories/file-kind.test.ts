import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { reindexFile } from '../../src/vault/reindex.ts'
import { memoryFileKind } from '../../src/memories/memories.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { byHand, fileOf, recalls, remember, rowOf } from './given.ts'

/** Five seconds by the promise, thirty by a busy machine. */
const soon = <T>(work: () => Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 60_000, interval: 50 })

const put = async (house: House, path: string, text: string): Promise<void> => {
  await mkdir(join(house.dir, path, '..'), { recursive: true })
  await writeFile(join(house.dir, path), text)
}

const ID = '01KB6W3Q8ZP4T9M2V7XJ5D1RHC'
const written = (head: string) => `---
id: ${ID}
${head}
created: 2026-11-02T09:14:07Z
updated: 2026-11-20T16:40:31Z
---
See [[orders-deploy|how]], [[global/everyone#rules]] and [[ops/Deploy Book]], [[orders-deploy]].
`

describe('a memory that another program', () => {
  test('changes is found by its new words, and the log says that no tool did it', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')

    await byHand(house, 'memory/atlas/x.md', (text) => `${text}A wombat.\n`)

    await soon(async () => expect(await recalls(agent, 'wombat', id)).toBe(true))
    await soon(async () =>
      expect((await house.events('memory.written')).at(-1)).toMatchObject({
        item_id: id,
        project: 'atlas',
        session_id: null,
        payload: { name: 'x', kind: 'gotcha', updated: true, outside: true },
      }),
    )
  })

  test('removes is gone, and the log says so', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')

    await rm(join(house.dir, 'memory/atlas/x.md'))

    await soon(async () => expect(await rowOf(house, id)).toBeUndefined())
    await soon(async () =>
      expect(await house.events('memory.archived')).toMatchObject([
        { item_id: id, project: 'atlas', payload: { name: 'x', deleted: true, outside: true } },
      ]),
    )
  })

  test('renames keeps its id and has the new name', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')

    await mkdir(join(house.dir, 'memory/delta'), { recursive: true })
    await rename(join(house.dir, 'memory/atlas/x.md'), join(house.dir, 'memory/delta/y.md'))

    await soon(async () =>
      expect(await rowOf(house, id)).toMatchObject({ project: 'delta', name: 'y' }),
    )
  })
})

describe('a file of another program', () => {
  test('is read with whole seconds, without what it leaves out, and with what is its own', async () => {
    await using house = await openHouse()
    await put(house, 'memory/orders/utc.md', written('kind: Gotcha\nreviewed_by: ana'))

    await reindexFile(house.app.kernel, memoryFileKind, 'memory/orders/utc.md')

    expect(await rowOf(house, ID)).toMatchObject({
      project: 'orders',
      name: 'utc',
      kind: 'gotcha',
      description: '',
      valid_from: new Date('2026-11-02T09:14:07Z'),
      invalid_at: null,
      updated_at: new Date('2026-11-20T16:40:31Z'),
    })
    const { db } = house.app.database
    const links = await db.selectFrom('links').selectAll().orderBy('name').execute()
    const of = { source_kind: 'memory', source_id: ID }
    expect(links).toEqual([
      { ...of, name: 'deploy-book', project: 'ops' },
      { ...of, name: 'everyone', project: '' },
      { ...of, name: 'orders-deploy', project: null },
    ])
    const agent = await house.connect()
    await agent.call('memory_append', { name: 'utc', body: 'More.', project: 'orders' })
    expect(await fileOf(house, 'memory/orders/utc.md')).toContain('reviewed_by: ana\n---\nSee')
  })

  test.each([
    ['kind: rule', 'its "kind" is none of constraint, convention'],
    ['kind: gotcha\ninvalid_at: yesterday', 'its "invalid_at" is not a time'],
    ['kind: gotcha\ntags: {a: 1}', 'its "tags" is not text'],
    [`kind: gotcha\nsuperseded_by: ${randomBytes(4_000).toString('hex')}`, 'more than 1000 bytes'],
  ])('that says %o is listed and stops nothing', async (head, problem) => {
    await using house = await openHouse()
    const agent = await house.connect()
    await put(house, 'memory/orders/bad.md', written(head))
    await put(house, 'memory/orders/good.md', written('kind: gotcha'))

    await reconcile(house.app.kernel)

    const { db } = house.app.database
    const listed = await db
      .selectFrom('files')
      .select(['path', 'problem'])
      .where('path', '=', 'memory/orders/bad.md')
      .executeTakeFirst()
    expect(listed?.problem).toContain(problem)
    expect(await agent.call('memory_read', { id: ID })).toMatchObject({ name: 'good' })
  })

  test('whose name is no slug is listed with the name it should have', async () => {
    await using house = await openHouse()
    await put(house, 'memory/orders/My Rule.md', written('kind: gotcha'))

    expect(await reindexFile(house.app.kernel, memoryFileKind, 'memory/orders/My Rule.md')).toBe(
      'problem',
    )
  })
})

test('everything derived is the same after it was built again from the files', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await remember(agent, 'old', { tags: ['a'], body: 'See [[new]].' })
  await remember(agent, 'new', { supersedes: 'old' })
  await remember(agent, 'gate', { kind: 'stage', body: 'Status: blocked\nGate: human' })
  const { db } = house.app.database
  const derived = async () => ({
    memories: await db.selectFrom('memories').selectAll().orderBy('id').execute(),
    links: await db.selectFrom('links').selectAll().orderBy('name').execute(),
    passages: await db
      .selectFrom('passages')
      .select(['id', 'active', 'hash', 'words'])
      .orderBy('id')
      .execute(),
  })
  const before = await derived()

  await db.deleteFrom('memories').execute()
  await db.deleteFrom('links').execute()
  await db.deleteFrom('passages').execute()
  for (const path of await house.files()) {
    if (path.startsWith('memory/')) {
      await reindexFile(house.app.kernel, memoryFileKind, path, { again: true })
    }
  }

  expect(await derived()).toEqual(before)
})
