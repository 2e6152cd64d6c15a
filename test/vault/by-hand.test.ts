import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { freshId } from './damage.cases.ts'

const WRITTEN = '2024-05-06T07:08:09.000Z'

/** A file as an editor leaves it, last changed at that time. */
async function put(house: House, path: string, text: string): Promise<void> {
  const file = join(house.dir, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  await utimes(file, new Date(WRITTEN), new Date(WRITTEN))
  await reconcile(house.app.kernel)
}

/** When the one document of its kind was made and changed. */
async function timesOf({ app }: House, table: 'notes' | 'memories'): Promise<string[]> {
  const row = await app.database.db
    .selectFrom(table)
    .select(['created_at', 'updated_at'])
    .executeTakeFirstOrThrow()
  return [row.created_at.toISOString(), row.updated_at.toISOString()]
}

/** With a byte order mark, the line ends of Windows, tags as one text, and no times. */
const note = (id: string): string =>
  `\ufeff${['---', `id: ${id}`, 'title: By hand', 'tags: tide, moon , sea', '---', 'A body.', ''].join('\r\n')}`

test('a note made by hand needs no times: its file has them, and stays as it is', async () => {
  await using house = await openHouse()
  await house.app.caughtUp
  const agent = await house.connect()
  const id = freshId()
  const path = 'notes/atlas/by-hand.md'
  await put(house, path, note(id))

  const read = await agent.call('notes_read', { id })
  expect(read).toMatchObject({
    title: 'By hand',
    tags: ['tide', 'moon', 'sea'],
    body: 'A body.\r\n',
  })
  expect(await timesOf(house, 'notes')).toEqual([WRITTEN, WRITTEN])
  expect(await readFile(join(house.dir, path), 'utf8')).toBe(note(id))
  const { hits } = await agent.call('recall', { query: 'body by hand', project: 'atlas' })
  expect(hits).toMatchObject([{ id }])
})

test('the next change writes down when it was made', async () => {
  await using house = await openHouse()
  await house.app.caughtUp
  const agent = await house.connect()
  const id = freshId()
  const path = 'notes/atlas/by-hand.md'
  await put(house, path, note(id))

  await agent.call('notes_append', { id, text: 'More.' })
  const text = await readFile(join(house.dir, path), 'utf8')
  expect(text).toContain(`created: ${WRITTEN}\n`)
  const [, updated = ''] = /^updated: (.*)$/m.exec(text) ?? []
  expect(Date.parse(updated)).toBeGreaterThan(Date.parse(WRITTEN))
  expect(text).toContain('A body.')
  expect(await agent.call('notes_read', { id })).toMatchObject({ tags: ['tide', 'moon', 'sea'] })
  expect(await timesOf(house, 'notes')).toEqual([WRITTEN, updated])
})

test('a memory made by hand is believed from the time of its file on', async () => {
  await using house = await openHouse()
  await house.app.caughtUp
  const agent = await house.connect()
  const id = freshId()
  const text = [
    '---',
    `id: ${id}`,
    'kind: constraint',
    'description: High water at noon',
    '---',
    'b',
    '',
  ]
  await put(house, 'memory/atlas/tides.md', text.join('\n'))

  const read = await agent.call('memory_read', { name: 'tides', project: 'atlas' })
  expect(read).toMatchObject({ description: 'High water at noon' })
  expect(await timesOf(house, 'memories')).toEqual([WRITTEN, WRITTEN])
  const { hits } = await agent.call('recall', {
    query: 'high water',
    project: 'atlas',
    as_of: '2024-06-01T00:00:00.000Z',
  })
  expect(hits).toMatchObject([{ id }])
})

test('of a copy that kept the time of the last change alone, that is when it was made', async () => {
  await using house = await openHouse()
  await house.app.caughtUp
  const path = join(house.dir, 'notes/atlas/by-hand.md')
  await put(house, 'notes/atlas/by-hand.md', note(freshId()))
  const { birthtimeMs, mtimeMs } = await stat(path)
  // This machine made the file just now, and says that it was changed years ago.
  expect(birthtimeMs === 0 || birthtimeMs > mtimeMs).toBe(true)
  expect(await timesOf(house, 'notes')).toEqual([WRITTEN, WRITTEN])
})
