import fc from 'fast-check'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { normalName } from '../../src/text/slug.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { fact } from '../memories/given.ts'

const OLD = 'a'.repeat(80)
const PROJECT = { project: 'atlas' }

/** A file as it was written when long names were cut, or as an owner makes one; answers its id. */
async function put(house: House, path: string, head: Record<string, string> = {}): Promise<string> {
  const id = newId(new Date('2026-03-01'))
  const times = { created: '2026-03-01T00:00:00Z', updated: '2026-03-01T00:00:00Z' }
  const lines = Object.entries({ id, ...head, ...times }).map(([key, value]) => `${key}: ${value}`)
  const file = join(house.dir, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `---\n${lines.join('\n')}\n---\nold words\n`)
  await reconcile(house.app.kernel)
  return id
}

const memoryOfBefore = (house: House) =>
  put(house, `memory/atlas/${OLD}.md`, { kind: 'gotcha', name: OLD, description: 'old' })

describe('a name without a letter or digit', () => {
  test('is refused before anything is written', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const calls: [string, Record<string, unknown>][] = [
      ['memory_write', fact('***')],
      ['memory_write', fact('m', { supersedes: '!!!' })],
      ['memory_write', fact('m', { project: 'fresh', supersedes: 'fresh/!!!' })],
      ['memory_write', fact('m', { project: 'fresh', supersedes: 'nothing' })],
      ['memory_append', { name: '!!!', body: 'b', ...PROJECT }],
      ['memory_edit', { name: '!!!', description: 'b', ...PROJECT }],
      ['memory_delete', { name: '!!!', ...PROJECT }],
      ['memory_read', { name: '!!!', ...PROJECT }],
      ['notes_create', { title: '***', body: 'b', ...PROJECT }],
      ['notes_read', { slug: '!!!', ...PROJECT }],
      ['project_create', { name: '***' }],
      ['project_create', { name: 'A', slug: '!!!' }],
      ['tasks_add', { title: 'T', project: '!!!' }],
    ]
    for (const [tool, args] of calls) {
      await expect(agent.call(tool, args), tool).rejects.toThrow(
        /no letter|lower-case letters and digits|unknown project|no memory/,
      )
    }
    expect(await house.files()).toEqual([])
    expect((await agent.call('project_list'))['projects']).toEqual([])
  })

  test('of a file made by hand gives way to its id, by which the file is called at its next change', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await put(house, 'notes/atlas/!!!.md', { title: "'***'" })
    const other = await put(house, 'notes/atlas/***.md', { title: "'***'" })
    const slug = id.toLowerCase()

    const read = { slug, ...PROJECT }
    expect(await agent.call('notes_read', read)).toMatchObject({ id, slug, title: '***' })
    await agent.call('notes_append', { id, body: 'more' })
    expect(await agent.call('notes_read', { id })).toMatchObject({ slug, id })
    expect(await house.files()).toEqual(['notes/atlas/***.md', `notes/atlas/${slug}.md`])
    expect(await agent.call('notes_read', { id: other })).toMatchObject({ id: other })
  })
})

describe('a long name', () => {
  test('is never cut to that of another', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const names = [OLD, `${OLD}a`, `${OLD}b`, `${OLD}b c`, `${'a'.repeat(79)}ß`]
    for (const name of names) {
      const written = await agent.call('memory_write', fact(name, { body: name }))
      expect(written['updated']).toBe(false)
      await agent.call('notes_create', { title: name, body: name, ...PROJECT })
    }
    for (const name of names) {
      const memory = await agent.call('memory_read', { name, ...PROJECT })
      expect(memory['body']).toBe(name)
      const again = await agent.call('memory_write', fact(name, { body: name }))
      expect([again['updated'], again['id']]).toEqual([true, memory['id']])
      expect((await agent.call('notes_read', { slug: name, ...PROJECT }))['body']).toBe(name)
      const note = { title: name, body: 'b', ...PROJECT }
      await expect(agent.call('notes_create', note)).rejects.toThrow('is taken')
    }
    expect(await house.files()).toHaveLength(2 * names.length)
    const { briefing } = await agent.call('session_start', PROJECT)
    expect(briefing).toContain(OLD)
  })

  test('finds what was called by its mere cut, which is rewritten and never doubled', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await memoryOfBefore(house)
    const name = `${OLD} and so on`

    expect(await agent.call('memory_read', { name, ...PROJECT })).toMatchObject({ id, name: OLD })
    expect(await agent.call('memory_write', fact(name))).toMatchObject({ id, updated: true })
    expect(await agent.call('memory_append', { name, body: 'b', ...PROJECT })).toMatchObject({ id })
    const edit = { name, description: 'new', ...PROJECT }
    expect(await agent.call('memory_edit', edit)).toMatchObject({ id, name: OLD })
    await agent.call('favorite_set', { kind: 'memory', id: name, favorite: true, ...PROJECT })
    expect(await house.files()).toEqual([`memory/atlas/${OLD}.md`])

    const heir = await agent.call('memory_write', fact('heir', { supersedes: name }))
    expect(heir['superseded']).toBe(`atlas/${OLD}`)
    expect(await agent.call('memory_read', { name, ...PROJECT })).toMatchObject({ id })
    expect(await agent.call('memory_delete', { name, ...PROJECT })).toMatchObject({ id })
    const fresh = await agent.call('memory_write', fact(name))
    expect(fresh['name']).toMatch(/^a{71}-[0-9a-z]{6}$/)
  })

  test('supersedes nothing when it is what is written, under its name of before', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const id = await memoryOfBefore(house)
    const written = await agent.call('memory_write', fact(`${OLD}x`, { supersedes: `${OLD}x` }))
    expect([written['id'], written['superseded']]).toEqual([id, undefined])
    expect(await house.files()).toHaveLength(1)
  })

  test('of a note is taken by the note of this very title, and by no other', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const title = `${OLD} one`
    await put(house, `notes/atlas/${OLD}.md`, { title })
    const note = { title: title.toUpperCase(), body: 'b', ...PROJECT }
    await expect(agent.call('notes_create', note)).rejects.toThrow('is taken')
    const other = await agent.call('notes_create', { ...note, title: `${OLD} two` })
    expect(other['slug']).toMatch(/^a{71}-[0-9a-z]{6}$/)
    expect(await agent.call('notes_read', { slug: title, ...PROJECT })).toMatchObject({ title })
    const second = await agent.call('notes_read', { slug: `${OLD} two`, ...PROJECT })
    expect(second['id']).toBe(other['id'])
  })

  test('finds a project of before instead of making a second one', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await house.app.database.db
      .insertInto('projects')
      .values({ id: newId(new Date()), slug: OLD, name: `${OLD} one`, isolation: 'open' })
      .execute()
    const create = (name: string) => agent.call('project_create', { name })
    await expect(create(`${OLD}  ONE`)).rejects.toThrow('already exists')
    expect((await create(`${OLD} two`))['slug']).toMatch(/^a{71}-[0-9a-z]{6}$/)
  })

  test('means one item, whatever it is: the same name the same, another name another', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const ids = new Map<string, string>()
    const name = fc
      .tuple(
        fc.constantFrom('n', 'ü', '日', 'w '),
        fc.integer({ min: 30, max: 84 }),
        fc.constantFrom('', 'x', ' y', '!', 'X'),
      )
      .map(([part, times, end]) => part.repeat(times) + end)
    await fc.assert(
      fc.asyncProperty(name, async (name) => {
        const meant = normalName(name)
        const written = await agent.call('memory_write', fact(name))
        expect([name, written['updated']]).toEqual([name, ids.has(meant)])
        expect(ids.get(meant) ?? written['id']).toBe(written['id'])
        ids.set(meant, written['id'] as string)
        const read = await agent.call('memory_read', { name: written['name'], ...PROJECT })
        expect(read['id']).toBe(written['id'])
      }),
      { numRuns: 120 },
    )
    expect(new Set(ids.values()).size).toBe(ids.size)
    expect(await house.files()).toHaveLength(ids.size)
  })
})
