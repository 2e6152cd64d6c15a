/** Files that people put there by hand, and what a later change makes of them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openHouse, type House } from '../helpers/house.ts'
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
