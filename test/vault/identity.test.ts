import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openVault } from '../../src/vault/vault.ts'
import { openDisk } from '../../src/vault/disk.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { adoptStore } from '../../src/vault/store-id.ts'
import type { Agent } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'

const SUBJECTS = ['queue latency', 'retry budget', 'cache eviction', 'lock order', 'tail reads']

async function fill(house: House): Promise<string[]> {
  const agent = await house.connect()
  const ids: string[] = []
  for (const [n, subject] of SUBJECTS.entries()) {
    const project = n % 2 ? 'atlas' : 'global'
    const note = { title: `On ${subject}`, body: `What we know of ${subject}.\n`, project }
    ids.push((await agent.call('notes_create', note))['id'])
  }
  return ids
}

/** Everything of the notes that an agent can see. */
async function seen(agent: Agent, ids: readonly string[]): Promise<unknown> {
  const notes = await Promise.all(ids.map((id) => agent.call('notes_read', { id })))
  const answers = await Promise.all(
    SUBJECTS.map((query) => agent.call('recall', { query, project: 'atlas' })),
  )
  return { notes, hits: answers.map(({ hits }) => hits.map(({ id }: { id: string }) => id)) }
}

const start = async (dir: string, onDisk = false): Promise<House> => {
  const house = await openHouse({ dir, onDisk })
  await house.app.caughtUp
  return house
}

describe('a store', () => {
  test('loses no note with its database: same ids, same hashes, same recall', async () => {
    await using folder = await openFolder()
    const first = await start(folder.path)
    const ids = await fill(first)
    const before = await seen(await first.connect(), ids)
    await first.close()

    await using second = await start(folder.path)

    expect(await seen(await second.connect(), ids)).toEqual(before)
    expect(second.app.kernel.vault.storeId).toBe(first.app.kernel.vault.storeId)
  })

  test('is the same after everything derived was built again', async () => {
    await using house = await openHouse()
    const ids = await fill(house)
    const agent = await house.connect()
    const before = await seen(agent, ids)
    await house.app.kernel.db.deleteFrom('passages').execute()

    const { kernel, database } = house.app
    const report = await database.unhurried(() => reconcile(kernel, { again: true }))

    expect(report).toMatchObject({ indexed: ids.length, forgotten: 0, problems: 0 })
    expect(await seen(agent, ids)).toEqual(before)
    expect(await house.events('note.written')).toHaveLength(ids.length)
  })

  test('keeps a fence through the loss of its database, from the first answer on', async () => {
    await using folder = await openFolder()
    const first = await start(folder.path)
    const agent = await first.connect()
    await agent.call('project_create', {
      name: 'Secret',
      description: 'D',
      isolation: 'confidential',
    })
    const note = { title: 'T', body: 'zebra', project: 'secret' }
    const { id } = await agent.call('notes_create', note)
    await first.close()

    // Not awaited: whatever is asked before the files are indexed is judged by the fence as well.
    await using second = await openHouse({ dir: folder.path })
    const stranger = await second.connect()

    await expect(stranger.call('recall', { query: 'zebra', project: 'secret' })).rejects.toThrow(
      'confidential',
    )
    await second.app.caughtUp
    await expect(stranger.call('notes_read', { id })).rejects.toThrow('no note with id')
    const within = await second.inside('secret', 'confidential')
    expect(await within.call('notes_read', { id })).toMatchObject({ body: 'zebra' })
  })

  test('opens no project whose file cannot be understood', async () => {
    await using folder = await openFolder()
    const first = await start(folder.path)
    const agent = await first.connect()
    await agent.call('project_create', { name: 'Secret', description: 'D', isolation: 'sealed' })
    const within = await first.inside('secret', 'sealed')
    const { id } = await within.call('notes_create', { title: 'T', body: 'zebra' })
    await first.close()
    const file = join(folder.path, 'projects/secret.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.slice(0, 20))

    await using second = await start(folder.path)
    const stranger = await second.connect()

    await expect(stranger.call('notes_read', { id })).rejects.toThrow('no note with id')
    const draft = { title: 'Other', body: 'B', project: 'secret' }
    await expect(stranger.call('notes_create', draft)).rejects.toThrow(
      'notes_create: the file projects/secret.yaml of its project cannot be understood',
    )
    await writeFile(file, text)
    await reconcile(second.app.kernel)
    const inside = await second.inside('secret', 'sealed')
    expect(await inside.call('notes_read', { id })).toMatchObject({ body: 'zebra' })
    await expect(stranger.call('notes_create', draft)).rejects.toThrow('sealed')
  })

  test.each(['at once', 'after a look that missed them'] as const)(
    'opens nothing of a sealed project whose folders come back by another name %s',
    async (when) => {
      await using house = await openHouse()
      const { kernel } = house.app
      const stranger = await house.connect()
      const secret = { name: 'Secret', description: 'D', isolation: 'sealed' }
      await stranger.call('project_create', secret)
      const within = await house.inside('secret', 'sealed')
      const { id } = await within.call('notes_create', { title: 'T', body: 'zebra' })
      const memory = { name: 'stripes', kind: 'gotcha', description: 'zebra', body: 'zebra' }
      await within.call('memory_write', memory)

      for (const root of ['notes', 'memory'].map((root) => join(house.dir, root))) {
        await rename(join(root, 'secret'), join(house.dir, 'away'))
        if (when !== 'at once') await reconcile(kernel)
        await rename(join(house.dir, 'away'), join(root, 'secret2'))
      }
      for (let look = 0; look < 3; look++) await reconcile(kernel)
      const unseen = async () => {
        await expect(stranger.call('notes_read', { id })).rejects.toThrow()
        const address = { name: 'stripes', project: 'secret2' }
        await expect(stranger.call('memory_read', address)).rejects.toThrow()
      }
      await unseen()
      const problems = await kernel.db
        .selectFrom('files')
        .select(['path', 'problem'])
        .where('problem', 'is not', null)
        .orderBy('path')
        .execute()
      const problem = expect.stringContaining('it comes from behind a fence')
      expect(problems).toEqual([
        { path: 'memory/secret2/stripes.md', problem },
        { path: 'notes/secret2/t.md', problem },
      ])

      const refused = 'comes from behind a fence; create the project with an isolation first'
      const draft = { title: 'Other', body: 'B', project: 'secret2' }
      await expect(stranger.call('notes_create', draft)).rejects.toThrow(refused)
      const named = { name: 'Secret 2', description: 'D', slug: 'secret2' }
      await expect(stranger.call('project_create', named)).rejects.toThrow(refused)
      await reconcile(kernel)
      await unseen()

      await stranger.call('project_create', { ...named, isolation: 'sealed' })
      await reconcile(kernel)
      await unseen()
      const inside = await house.inside('secret2', 'sealed')
      expect(await inside.call('notes_read', { id })).toMatchObject({ body: 'zebra' })
      expect(await inside.call('memory_read', { name: 'stripes' })).toMatchObject({ body: 'zebra' })
    },
  )

  test('sweeps what a start that was killed has begun', async () => {
    await using folder = await openFolder()
    const { db } = await openTestDatabase()
    const begin = () =>
      openVault({ db, dir: folder.path, fileKinds: [], now: new Date(), writers: 1 })
    await begin()
    const begun = [
      '.loam-store.01K9ZC4T7Q8V2M5N6P3R1S0WXY',
      '.loam-probe-01K9ZC4T7Q8V2M5N6P3R1S0WXZ',
    ]
    for (const name of begun) await writeFile(join(folder.path, name), '')

    await begin()

    expect(await readdir(folder.path)).toEqual(['.loam-store'])
  })

  test('has one id, however many begin it at once and sweep what the others have begun', async () => {
    const { db } = await openTestDatabase()
    for (let round = 0; round < 20; round++) {
      await using folder = await openFolder()
      const disk = await openDisk(folder.path)
      await db.deleteFrom('store').execute()

      const begun = Array.from({ length: 4 }, async (_, n) => {
        await sleep(n * (round % 4))
        return adoptStore(db, disk, new Date())
      })

      expect(new Set(await Promise.all(begun)).size).toBe(1)
      expect(await readdir(folder.path)).toEqual(['.loam-store'])
    }
  })

  test('refuses a data directory without its mark, and one of another store', async () => {
    await using mine = await openFolder()
    await using other = await openFolder()
    await (await start(mine.path, true)).close()
    await (await start(other.path)).close()
    const mark = join(mine.path, '.loam-store')
    const id = (await readFile(mark, 'utf8')).trim()

    await rm(mark)
    await expect(openHouse({ dir: mine.path, onDisk: true })).rejects.toThrow(
      'the database belongs to a data directory that this one is not (no .loam-store in it): ' +
        'check data_dir and that its disk is mounted',
    )
    const theirs = await readFile(join(other.path, '.loam-store'), 'utf8')
    await writeFile(mark, theirs)
    await expect(openHouse({ dir: mine.path, onDisk: true })).rejects.toThrow(
      `the data directory is of store ${theirs.trim()} and the database of store ${id}: ` +
        'check data_dir and database.url',
    )
    await writeFile(mark, `${id}\n`)
    await (await openHouse({ dir: mine.path, onDisk: true })).close()
  })
})

describe('while the data directory is away', () => {
  test.each([
    ['a directory that is moved away', async (dir: string) => rename(dir, `${dir}-away`)],
    ['a mark that is gone', async (dir: string) => rm(join(dir, '.loam-store'))],
    [
      "another store's mark",
      async (dir: string) => writeFile(join(dir, '.loam-store'), '01K9ZC4T7Q8V2M5N6P3R1S0WXY\n'),
    ],
  ])(
    '%s: nothing is read, written or dropped, and all is well when it is back',
    async (_, lose) => {
      await using folder = await openFolder()
      const dir = join(folder.path, 'data')
      await using house = await start(dir)
      const [id = ''] = await fill(house)
      const agent = await house.connect()
      const mark = await readFile(join(dir, '.loam-store'), 'utf8')
      const gone = 'storage is missing: the data directory is not mounted'

      await lose(dir)

      const draft = { title: 'New', body: 'B', project: 'atlas' }
      for (const [tool, args] of [
        ['notes_read', { id }],
        ['notes_create', draft],
        ['notes_create', { ...draft, project: 'another' }],
        ['notes_append', { id, body: 'more' }],
        ['notes_update', { id, title: 'X' }],
        ['notes_update', { id, project: 'atlas' }],
        ['notes_delete', { id }],
      ] as const) {
        await expect(agent.call(tool, args)).rejects.toThrow(`${tool}: ${gone}`)
      }
      await expect(reconcile(house.app.kernel)).rejects.toThrow(gone)
      if (existsSync(`${dir}-away`)) await rename(`${dir}-away`, dir)
      await writeFile(join(dir, '.loam-store'), mark)

      expect(await agent.call('notes_read', { id })).toMatchObject({ title: 'On queue latency' })
      await agent.call('notes_create', draft)
      expect(await reconcile(house.app.kernel)).toMatchObject({
        seen: 6,
        forgotten: 0,
        problems: 0,
      })
      expect(await house.events('note.written')).toHaveLength(SUBJECTS.length + 1)
    },
  )
})
