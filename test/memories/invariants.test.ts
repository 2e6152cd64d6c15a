/** The rules that memories live by, each under its own name. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appendToDocument } from '../../src/documents/documents.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import {
  archive,
  memoryDocument,
  supersede,
  unarchive,
  unsupersede,
} from '../../src/memories/memories.ts'
import { scopesFor } from '../../src/projects/projects.ts'
import { openHouse } from '../helpers/house.ts'
import { byHand, fileOf, recalls, remember, rowOf } from './given.ts'
import { NOBODY_KNOWN } from '../helpers/callers.ts'

describe('lifecycle', () => {
  test('1: a memory is out of every index exactly when invalid_at is set', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'quoll')
    const { db } = house.app.database
    const active = async () => ({
      found: await recalls(agent, 'quoll', id),
      passages: (
        await db.selectFrom('passages').select('active').where('id', '=', id).execute()
      ).map((row) => row.active),
    })

    // What replaced it says nothing: only invalid_at does.
    await byHand(house, 'memory/atlas/quoll.md', (text) =>
      text.replace('superseded_by: null', 'superseded_by: 01K9ZC4T7Q8V2M5N6P3R1S0WXY'),
    )
    await agent.call('memory_read', { id })
    expect(await active()).toEqual({ found: true, passages: [true] })

    await byHand(house, 'memory/atlas/quoll.md', (text) =>
      text
        .replace('superseded_by: 01K9ZC4T7Q8V2M5N6P3R1S0WXY', 'superseded_by: null')
        .replace('invalid_at: null', 'invalid_at: 2026-11-01T00:00:00.000Z'),
    )
    await agent.call('memory_read', { id })
    expect(await active()).toEqual({ found: false, passages: [false] })
  })

  test('2: only supersede and archive, and their undo, write invalid_at and superseded_by', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    const stamps = async () => {
      const row = await rowOf(house, id)
      return [row?.invalid_at ?? null, row?.superseded_by]
    }
    await agent.call('memory_append', { name: 'x', body: 'more', project: 'atlas' })
    await agent.call('memory_edit', { name: 'x', description: 'new', project: 'atlas' })
    await remember(agent, 'x', { body: 'invalid_at: 2026-01-01T00:00:00Z' })
    expect(await stamps()).toEqual([null, ''])

    await archive(house.app.kernel, NOBODY, id)
    expect(await stamps()).toEqual([expect.any(Date), ''])
    for (const [tool, args] of [
      ['memory_append', { body: 'more' }],
      ['memory_edit', { description: 'new' }],
      ['memory_write', { kind: 'gotcha', description: 'd', body: 'b' }],
    ] as const) {
      await expect(agent.call(tool, { name: 'x', project: 'atlas', ...args })).rejects.toThrow(
        /superseded or archived/,
      )
    }
    await unarchive(house.app.kernel, NOBODY, id)
    expect(await stamps()).toEqual([null, ''])
  })

  test('3: supersession never moves valid_from; from there to invalid_at it was believed', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'old')
    const before = await rowOf(house, id)

    const { id: next } = await remember(agent, 'new', { supersedes: 'old' })

    const after = await rowOf(house, id)
    expect(after?.valid_from).toEqual(before?.valid_from)
    expect(after!.invalid_at! > after!.valid_from).toBe(true)
    expect(after?.updated_at).toEqual(after?.invalid_at)
    expect((await rowOf(house, next))!.valid_from <= after!.invalid_at!).toBe(true)
  })

  test('4: a memory is invalidated once, and no chain of replacements closes', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { kernel } = house.app
    const { id: a } = await remember(agent, 'a')
    const { id: b } = await remember(agent, 'b')
    const { id: c } = await remember(agent, 'c')
    await supersede(kernel, NOBODY, a, b)
    await supersede(kernel, NOBODY, b, c)

    await expect(supersede(kernel, NOBODY, c, a)).rejects.toThrow('was itself superseded')
    await expect(supersede(kernel, NOBODY, a, c)).rejects.toThrow('was already superseded')
    await expect(archive(kernel, NOBODY, a)).rejects.toThrow('was already superseded')
    // Undo is the one exception: it takes the link out again.
    await unsupersede(kernel, NOBODY, a)
    await supersede(kernel, NOBODY, a, c)
    expect((await rowOf(house, a))?.superseded_by).toBe(c)
  })

  test('5: retiring reads the file, so nothing but the last line is changed in it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    // The row does not know of this yet.
    await writeFile(
      join(house.dir, 'memory/atlas/x.md'),
      (await fileOf(house, 'memory/atlas/x.md')).replace('The body', 'By hand: the body'),
    )

    await archive(house.app.kernel, NOBODY, id)

    expect(await fileOf(house, 'memory/atlas/x.md')).toContain('By hand: the body of x.\n\n> Arch')
  })

  test('6: an inactive memory keeps its name, and deleting is the only release', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    await archive(house.app.kernel, NOBODY, id)

    await expect(remember(agent, 'x')).rejects.toThrow('the name "x" is still held')
    await agent.call('memory_delete', { name: 'x', project: 'atlas' })
    expect((await remember(agent, 'x'))['id']).not.toBe(id)
  })

  test('7: a supersede that cannot be is refused before anything is written', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'old')
    await remember(agent, 'heir', { supersedes: 'old' })

    for (const [supersedes, why] of [
      ['nowhere', 'no memory "nowhere" in project "atlas" nor in global'],
      [
        'old',
        'memory "old" was already superseded or archived: supersede what memory_read says replaced it, ' +
          'or leave supersedes out',
      ],
    ] as const) {
      const failed = await agent.raw('memory_write', {
        name: 'late',
        kind: 'decision',
        description: 'late',
        body: 'late',
        project: 'atlas',
        supersedes,
      })
      expect(failed.isError).toBe(true)
      expect(await house.files()).toEqual(['memory/atlas/heir.md', 'memory/atlas/old.md'])
      expect((failed.content as { text: string }[])[0]!.text).toContain(why)
    }
  })
})

describe('file mutation', () => {
  test('8: one item is read and written under one lock: no append is lost', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'log', { body: '0\n' })
    const { id: other } = await remember(agent, 'other')

    await Promise.all([
      ...Array.from({ length: 8 }, (_, i) =>
        agent.call('memory_append', { name: 'log', body: String(i + 1), project: 'atlas' }),
      ),
      agent.call('memory_edit', { name: 'log', tags_add: ['a'], project: 'atlas' }),
    ])
    await supersede(house.app.kernel, NOBODY, id, other)

    const row = await rowOf(house, id)
    const lines = row!.body.split('\n').filter((line) => /^\d$/.test(line))
    expect(lines.sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
    expect(row?.tags).toEqual(['a'])
  })

  test('9: mutations of two paths take their locks in one order, whichever is named first', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { kernel } = house.app
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => (await remember(agent, name))['id'] as string),
    )
    const pairs = ids.flatMap((a) => ids.filter((b) => b !== a).map((b) => [a, b] as const))

    const ends = await Promise.allSettled(pairs.map(([a, b]) => supersede(kernel, NOBODY, a, b)))

    for (const end of ends) {
      if (end.status === 'rejected') expect(String(end.reason)).toMatch(/superseded/)
    }
    const rows = await Promise.all(ids.map((id) => rowOf(house, id)))
    expect(rows.filter((row) => row?.invalid_at === null)).toHaveLength(1)
  })

  test('10: expect_hash is compared with the file inside the lock, never with the index', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    const indexed = (await rowOf(house, id))!.content_hash
    await byHand(house, 'memory/atlas/x.md', (text) => `${text}By hand.\n`)
    const edit = (expect_hash: string) =>
      agent.call('memory_edit', { name: 'x', description: 'new', expect_hash, project: 'atlas' })
    const onDisk = await house.sha256('memory/atlas/x.md')

    await expect(edit(indexed)).rejects.toThrow('is stale')
    await edit(onDisk)
    expect(await fileOf(house, 'memory/atlas/x.md')).toContain('By hand.')
  })

  test('11: unknown keys have no second copy, so a file that cannot be read is not rewritten', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    const path = join(house.dir, 'memory/atlas/x.md')
    const text = await readFile(path, 'utf8')
    const { kernel } = house.app
    const acts = [
      () => agent.call('memory_append', { name: 'x', body: 'more', project: 'atlas' }),
      () => agent.call('memory_edit', { name: 'x', description: 'new', project: 'atlas' }),
      () => archive(kernel, NOBODY, id),
    ]
    const write = () => remember(agent, 'x')
    const broken = text.replace('kind: gotcha', 'kind: "gotcha')
    await writeFile(path, broken)
    for (const act of [...acts, write]) {
      await expect(act()).rejects.toThrow('cannot be understood')
    }
    expect(await readFile(path, 'utf8')).toBe(broken)

    await rm(path)
    // Until the watcher has seen it the file is missing; then there is no such memory, and its name is free.
    for (const act of acts) await expect(act()).rejects.toThrow(/removed|no memory/)
    expect(await house.files()).toEqual([])
    const outcome = await write().then(({ id }) => id, String)
    expect(outcome).toMatch(/removed|^[0-9A-Z]{26}$/)
    expect(outcome).not.toBe(id)
  })
})

describe('scope', () => {
  test('13: a durable create fails closed where a read means global', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    await expect(remember(agent, 'x', { project: undefined })).rejects.toThrow('ambiguous scope')
    await expect(agent.call('memory_read', { name: 'x' })).rejects.toThrow('in global')
  })

  test('14: naming an unknown project in a durable create registers it, and a refused one does not', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const known = async () =>
      (await agent.call('project_list'))['projects'].map(({ slug }: { slug: string }) => slug)

    await expect(remember(agent, ' ', { project: 'unheard' })).rejects.toThrow('required')
    expect(await known()).toEqual([])
    await remember(agent, 'x', { project: 'unheard' })
    expect(await known()).toEqual(['unheard'])
  })
})

test('a change is judged once more inside the transaction that makes it', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await remember(agent, 'x', { project: 'later' })
  const { db } = house.app.database
  const { kernel } = house.app
  const scope = await scopesFor(kernel, NOBODY_KNOWN).read('later')
  await db
    .updateTable('projects')
    .set({ isolation: 'sealed' })
    .where('slug', '=', 'later')
    .execute()

  const target = { scope, address: { name: 'x' } }
  await expect(appendToDocument(kernel, NOBODY, memoryDocument, target, 'more')).rejects.toThrow(
    'no memory "x" in project "later"',
  )
})
