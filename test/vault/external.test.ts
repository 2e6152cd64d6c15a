import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { registerFile } from '../../src/vault/register.ts'
import { reindexFile } from '../../src/vault/reindex.ts'
import { noteFileKind } from '../../src/notes/notes.ts'
import type { Agent } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { freshId, healthy } from './damage.cases.ts'

/** Five seconds by the promise, a minute by a busy machine. */
const soon = <T>(work: () => Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 60_000, interval: 50 })

async function create(agent: Agent, title: string, body: string): Promise<string> {
  return (await agent.call('notes_create', { title, body, project: 'atlas' }))['id']
}

async function change(house: House, path: string, from: string, to: string): Promise<void> {
  const file = join(house.dir, path)
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
}

const found = async (agent: Agent, query: string): Promise<string[]> => {
  const { hits } = await agent.call('recall', { query, project: 'atlas' })
  return hits.map(({ id }: { id: string }) => id)
}

const outside = async (house: House) =>
  (await house.events('note.written')).filter(({ payload }) => payload['outside'])

describe('a file that another program', () => {
  test('changes is found by its new words, and the log says that no tool did it', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')

    await change(house, 'notes/atlas/t.md', 'aardvark', 'wombat')

    await soon(async () => expect(await found(agent, 'wombat')).toEqual([id]))
    expect(await found(agent, 'aardvark')).toEqual([])
    await soon(async () =>
      expect(await outside(house)).toMatchObject([
        { item_id: id, project: 'atlas', payload: { title: 'T', updated: true, outside: true } },
      ]),
    )
  })

  test('changes is read as it is at once, whether or not anybody has noticed', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')

    await change(house, 'notes/atlas/t.md', 'aardvark', 'wombat')

    const note = await agent.call('notes_read', { id })
    expect(note['body']).toBe('wombat')
    expect(note['content_hash']).toBe(await house.sha256('notes/atlas/t.md'))
    expect(await found(agent, 'wombat')).toEqual([id])
  })

  test('creates is a note of the project it lies in, which is registered', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const id = freshId()

    await mkdir(join(house.dir, 'notes/delta'), { recursive: true })
    await writeFile(join(house.dir, 'notes/delta/by-hand.md'), healthy(id))

    const note = await soon(() => agent.call('notes_read', { id }))
    expect(note).toMatchObject({ slug: 'by-hand', project: 'delta', body: 'A body.\n' })
    const { projects } = await agent.call('project_list')
    expect(projects.map(({ slug }: { slug: string }) => slug)).toContain('delta')
  })

  test('renames keeps its id under the new slug', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')

    await rename(join(house.dir, 'notes/atlas/t.md'), join(house.dir, 'notes/atlas/renamed.md'))

    await soon(async () =>
      expect(await agent.call('notes_read', { id })).toMatchObject({ slug: 'renamed' }),
    )
    expect(await found(agent, 'aardvark')).toEqual([id])
  })

  test('removes is forgotten and does not come back', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')
    await create(agent, 'Other', 'B')

    await rm(join(house.dir, 'notes/atlas/t.md'))

    await expect(agent.call('notes_append', { id, body: 'more' })).rejects.toThrow(
      `notes_append: no note with id "${id}"`,
    )
    await soon(async () => expect(await found(agent, 'aardvark')).toEqual([]))
    await soon(async () =>
      expect(await outside(house)).toMatchObject([
        { item_id: id, payload: { slug: 't', deleted: true, outside: true } },
      ]),
    )
    expect(await house.files()).toEqual(['notes/atlas/other.md'])
  })

  test('takes away and, after it was forgotten, puts back just as it was is found again', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')
    const [file, away] = [join(house.dir, 'notes/atlas/t.md'), join(house.dir, 'away.md')]

    await rename(file, away)
    await soon(async () => expect(await found(agent, 'aardvark')).toEqual([]))
    await rename(away, file)

    await soon(async () => expect(await found(agent, 'aardvark')).toEqual([id]))
  })

  test('swaps with another keeps both ids', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const [one, two] = [await create(agent, 'One', 'B1'), await create(agent, 'Two', 'B2')]
    const file = (slug: string) => join(house.dir, `notes/atlas/${slug}.md`)

    await rename(file('one'), file('three'))
    await rename(file('two'), file('one'))
    await rename(file('three'), file('two'))
    await reconcile(house.app.kernel)

    expect(await agent.call('notes_read', { id: one })).toMatchObject({ slug: 'two', body: 'B1' })
    expect(await agent.call('notes_read', { id: two })).toMatchObject({ slug: 'one', body: 'B2' })
  })

  test('replaces by another note is no longer the old one', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')
    const newcomer = freshId()
    const file = join(house.dir, 'notes/atlas/t.md')

    await writeFile(file, healthy(newcomer))

    for (const [tool, args] of [
      ['notes_read', {}],
      ['notes_append', { body: 'more' }],
    ] as const) {
      await expect(agent.call(tool, { id, ...args })).rejects.toThrow(`${tool}: no note with id`)
    }
    expect(await readFile(file, 'utf8')).toBe(healthy(newcomer))
    await reconcile(house.app.kernel)
    expect(await agent.call('notes_read', { id: newcomer })).toMatchObject({ slug: 't' })
  })

  test('changes is not overwritten by an edit that was made without knowing of it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await create(agent, 'T', 'aardvark')
    const { content_hash: expect_hash } = await agent.call('notes_read', { id })

    await change(house, 'notes/atlas/t.md', 'aardvark', 'wombat')

    const now = await house.sha256('notes/atlas/t.md')
    await expect(agent.call('notes_update', { id, body: 'mine', expect_hash })).rejects.toThrow(
      `is stale: its content_hash is ${now}`,
    )
    await agent.call('notes_append', { id, body: 'added' })
    const { body } = await agent.call('notes_read', { id })
    expect(body).toMatch(/^wombat\n\n.* -- added\n$/)
  })

  test('has just made is not overwritten by a note of that title', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await create(agent, 'Other', 'B')
    const file = join(house.dir, 'notes/atlas/t.md')
    await writeFile(file, 'not even a note')

    await expect(create(agent, 'T', 'mine')).rejects.toThrow('the slug "t" is taken')

    expect(await readFile(file, 'utf8')).toBe('not even a note')
  })
})

describe('two files with one id', () => {
  test('that are indexed at the same moment end as one note and one problem', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await mkdir(join(house.dir, 'notes/atlas'), { recursive: true })

    for (let round = 0; round < 20; round++) {
      const id = freshId()
      const [older, newer] = [`notes/atlas/a${round}.md`, `notes/atlas/b${round}.md`]
      await writeFile(join(house.dir, older), healthy(id))
      const text = healthy(id).replace(/^updated: 2026/m, 'updated: 2027')
      await writeFile(join(house.dir, newer), text)

      await Promise.all([older, newer].map((path) => reindexFile(kernel, noteFileKind, path)))

      const files = await kernel.db
        .selectFrom('files')
        .select(['path', 'problem'])
        .where('path', 'in', [older, newer])
        .orderBy('path')
        .execute()
      expect(files).toEqual([
        { path: older, problem: `it has the same id as ${newer}, which is the later one` },
        { path: newer, problem: null },
      ])
      expect(await noteFileKind.pathOf(kernel.db, id)).toBe(newer)
    }
  })

  test('puts among the notes as a copy of a memory, and takes away, leaves what is told of the memory', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const memory = { name: 'keel', kind: 'gotcha', description: 'a keel', body: 'Of oak.' }
    await agent.call('memory_write', { ...memory, project: 'atlas' })
    const edits = [{ old_string: 'oak', new_string: 'elm' }]
    await agent.call('memory_edit', { name: 'keel', edits, project: 'atlas' })
    const copy = join(house.dir, 'notes/atlas/keel.md')
    await mkdir(dirname(copy), { recursive: true })
    await writeFile(copy, await readFile(join(house.dir, 'memory/atlas/keel.md')))
    await reconcile(house.app.kernel)
    const { hits } = await agent.call('recall', { query: 'keel', project: 'atlas' })
    expect(hits.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['memory', 'note'])

    await rm(copy)
    await reconcile(house.app.kernel)

    expect((await house.events('note.written')).at(-1)?.payload['deleted']).toBe(true)
    expect((await house.events('memory.written')).at(-1)?.payload['diff']).toContain('elm')
  })
})

describe('when the watched directory itself', () => {
  test('is removed and made anew, what is put into it is noticed', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    await rm(join(house.dir, 'notes'), { recursive: true, force: true })
    const id = freshId()

    await mkdir(join(house.dir, 'notes/atlas'), { recursive: true })
    await writeFile(join(house.dir, 'notes/atlas/t.md'), healthy(id))

    expect(await soon(() => agent.call('notes_read', { id }))).toMatchObject({ slug: 't' })
  })
})

describe('when files vanish', () => {
  const notes = async (house: House) => {
    const agent = await house.connect()
    for (let n = 0; n < 40; n++) await create(agent, `Note ${n}`, 'B')
    return agent
  }
  const remove = (house: House, from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, n) =>
        rm(join(house.dir, `notes/atlas/note-${from + n}.md`)),
      ),
    )
  const rows = async (house: House) =>
    (await house.app.kernel.db.selectFrom('notes').select('id').execute()).length

  test('ten at once are dropped, and a quarter of all is not', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await notes(house)

    await remove(house, 0, 10)
    await soon(async () => expect(await rows(house)).toBe(30))

    await remove(house, 10, 21)
    const report = await reconcile(house.app.kernel)
    expect(report).toMatchObject({ seen: 19, forgotten: 0, withheld: 11 })
    expect(await rows(house)).toBe(30)
    await expect(agent.call('notes_read', { slug: 'note-10', project: 'atlas' })).rejects.toThrow(
      'its file was removed',
    )
    expect(await rows(house)).toBe(30)
  })

  test('what was forgotten meanwhile does not make a few that vanish look like a lost disk', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    await notes(house)

    // Thirty that another process has dropped before the watcher of this one has gathered them.
    await remove(house, 0, 30)
    await sleep(350)
    for (let n = 0; n < 30; n++) {
      await reindexFile(house.app.kernel, noteFileKind, `notes/atlas/note-${n}.md`)
    }
    await remove(house, 30, 33)

    await soon(async () => expect(await rows(house)).toBe(7))
  })

  test('into a hidden folder, as the trash of an editor, no other removal is taken for a lost disk', async () => {
    await using folder = await openFolder()
    const [kept, trash] = ['notes/atlas', 'notes/.trash'].map((path) => join(folder.path, path))
    await mkdir(kept!, { recursive: true })
    await mkdir(trash!)
    for (let n = 0; n < 40; n++) await writeFile(join(kept!, `note-${n}.md`), healthy(freshId()))
    await using house = await openHouse({ dir: folder.path })
    const { db } = house.app.kernel
    // As a watch of the folder had it listed.
    const stamp = { size: 1, mtime_ns: '1', inode: '1' }
    await registerFile(db, { path: 'notes/.trash/old.md', hash: '', stamp, problem: 'no slug' })

    for (let n = 0; n < 20; n++) {
      await rename(join(kept!, `note-${n}.md`), join(trash!, `note-${n}.md`))
      if (n % 5 === 4) await soon(async () => expect(await rows(house)).toBe(39 - n))
    }
    await sleep(700)
    await rm(join(kept!, 'note-20.md'))

    expect(await reconcile(house.app.kernel)).toMatchObject({ seen: 19, withheld: 0, problems: 0 })
    expect(await rows(house)).toBe(19)
    const hidden = await db
      .selectFrom('files')
      .select('path')
      .where('path', 'like', '%/.%')
      .execute()
    expect(hidden).toEqual([])
  })

  test('a directory that is renamed takes its notes along, however many', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await notes(house)
    const { id } = await agent.call('notes_read', { slug: 'note-7', project: 'atlas' })

    await rename(join(house.dir, 'notes/atlas'), join(house.dir, 'notes/delta'))

    expect(await reconcile(house.app.kernel)).toMatchObject({ seen: 40, withheld: 0 })
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'delta' })
    expect(await rows(house)).toBe(40)
  })

  test('a directory that is moved away takes a few notes with it', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const agent = await house.connect()
    for (let n = 0; n < 5; n++) await create(agent, `Note ${n}`, 'aardvark')

    await rename(join(house.dir, 'notes/atlas'), join(house.dir, 'elsewhere'))

    await soon(async () => expect(await found(agent, 'aardvark')).toEqual([]))
    await rename(join(house.dir, 'elsewhere'), join(house.dir, 'notes/atlas'))
    await soon(async () => expect(await found(agent, 'aardvark')).toHaveLength(5))
  })
})
