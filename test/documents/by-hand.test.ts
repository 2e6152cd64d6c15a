/** Files that people put there by hand, and what a later change makes of them. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { consolidateMemories } from '../../src/memories/memories.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { fact, remember } from '../memories/given.ts'
import { freshId, healthy } from '../vault/damage.cases.ts'

async function openWith(path: string, text: string): Promise<House> {
  const house = await openHouse()
  await house.app.caughtUp
  const file = join(house.dir, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await reconcile(house.app.kernel)
  return house
}

test.each([
  ['note', 'notes/atlas/🚀.md', {}],
  ['memory', 'memory/atlas/🚀.md', { kind: 'gotcha', description: 'd' }],
])('a star that a %s has already leaves its file where it lies', async (kind, path, head) => {
  const id = freshId()
  await using house = await openWith(path, healthy(id, head))
  const agent = await house.connect()
  const read = () => agent.call(kind === 'note' ? 'notes_read' : 'memory_read', { id })

  await agent.call('favorite_set', { kind, id, favorite: false })
  expect(await house.files()).toEqual([path])
  expect(await read()).toMatchObject({ id, body: 'A body.\n' })

  await agent.call('favorite_set', { kind, id, favorite: true })
  expect(await house.files()).toEqual([`${dirname(path)}/${id.toLowerCase()}.md`])
  expect(await read()).toMatchObject({ id, favorite: true, body: 'A body.\n' })
})

test.each([
  ['note', 'notes/atlas', 'notes_create', 'title', 'notes_delete'],
  ['memory', 'memory/atlas', 'memory_write', 'name', 'memory_delete'],
])('a %s that is deleted leaves the file that lies in its place by now', async (...row) => {
  const [kind, folder, make, called, drop] = row
  await using house = await openHouse()
  await house.app.caughtUp
  const agent = await house.connect()
  const made = async (name: string): Promise<string> => {
    const more = { ...(kind === 'memory' && fact(name)), body: name, project: 'atlas' }
    const { id } = await agent.call(make, { ...more, [called]: name })
    return id as string
  }
  const gone = await made('gone')
  const kept = await made('kept')
  await rename(join(house.dir, folder, 'kept.md'), join(house.dir, folder, 'gone.md'))

  const target = kind === 'memory' ? { name: 'gone', project: 'atlas' } : { id: gone }
  await expect(agent.call(drop, target)).rejects.toThrow(`its file holds another ${kind} now`)
  await reconcile(house.app.kernel)

  expect(await house.files()).toEqual([`${folder}/gone.md`])
  const read = kind === 'memory' ? 'memory_read' : 'notes_read'
  expect(await agent.call(read, { id: kept })).toMatchObject({ id: kept, body: 'kept' })
})

test('a number in the head stays as it is spelled when the file is changed', async () => {
  const id = freshId()
  const path = 'notes/atlas/x.md'
  const head = { zettel: '20240506123456789', version: '1.10', code: '007', title: '2.0' }
  await using house = await openWith(path, healthy(id, head))
  const agent = await house.connect()
  expect(await agent.call('notes_read', { id })).toMatchObject({ title: '2.0' })

  await agent.call('favorite_set', { kind: 'note', id, favorite: true })

  const text = await readFile(join(house.dir, path), 'utf8')
  for (const [key, value] of Object.entries(head)) {
    expect(text).toMatch(new RegExp(`^${key}: "?${value}"?$`, 'm'))
  }
})

test.each([
  ['memory/global/tides.md', '_global'],
  ['memory/ALL/tides.md', 'no project'],
  ['notes/all/tides.md', 'no project'],
  ['projects/all.yaml', 'reserved'],
  ['projects/global.yaml', 'reserved'],
])('%s makes no project of a reserved name, and is listed', async (path, words) => {
  const id = freshId()
  const head = { kind: 'constraint', description: 'High water at noon' }
  const project = `id: ${id}\nname: All\ndescription: d\nisolation: open\n`
  const text = path.startsWith('projects/') ? project : healthy(id, head)
  await using house = await openWith(path, text)
  const agent = await house.connect()
  expect(await agent.call('project_list')).toMatchObject({ projects: [] })
  const { db } = house.app.database
  expect(await db.selectFrom('files').select(['path', 'problem']).execute()).toEqual([
    { path, problem: expect.stringContaining(words) },
  ])
})

test('memories that become one leave no second file of theirs behind', async () => {
  const id = freshId()
  const head = { kind: 'gotcha', description: 'd' }
  await using house = await openWith('memory/atlas/🚀.md', healthy(id, head))
  const agent = await house.connect()
  const { id: other } = await remember(agent, 'other')
  const sources = [{ id }, { id: other as string }]
  const whole = { ...fact('both'), kind: 'gotcha', model: '', sources } as const

  await consolidateMemories(house.app.kernel, NOBODY, { id: newId(new Date()), ...whole })

  expect(await house.files()).toEqual([
    `memory/atlas/${id.toLowerCase()}.md`,
    'memory/atlas/both.md',
    'memory/atlas/other.md',
  ])
})

test('a file of the last time there is can still be changed', async () => {
  const last = '9999-12-31T23:59:59.999Z'
  const id = freshId()
  const text = healthy(id).replace(/^updated: .*$/m, `updated: ${last}`)
  await using house = await openWith('notes/atlas/x.md', text)
  const agent = await house.connect()
  for (const body of ['One.', 'Two.']) await agent.call('notes_append', { id, body })
  const { body, updated } = await agent.call('notes_read', { id })
  expect(body).toContain('Two.')
  expect(updated).toBe(last)
})

test('a memory of a year that no database knows is listed', async () => {
  const head = { kind: 'gotcha', description: 'd' }
  const text = healthy(freshId(), head).replace('created: 2026', 'created: 0000')
  await using house = await openWith('memory/atlas/x.md', text)
  const { db } = house.app.database
  expect(await db.selectFrom('files').select('problem').execute()).toMatchObject([
    { problem: expect.stringContaining('"created"') },
  ])
})
