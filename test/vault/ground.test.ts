import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'

const GONE = 'storage is missing: the data directory is not mounted'

/** A store with one note whose database lies elsewhere, and a copy of its files. */
async function openStore(folder: string) {
  const place = {
    dir: join(folder, 'data'),
    copy: join(folder, 'copy'),
    aside: join(folder, 'aside'),
  }
  const house = await openHouse({ dir: place.dir })
  const agent = await house.connect()
  const { id } = await agent.call('notes_create', { title: 'T', body: 'first', project: 'atlas' })
  await cp(place.dir, place.copy, { recursive: true })
  const displaced = { by: '' }
  void house.app.displaced.then((leads) => (displaced.by = leads))
  return { ...place, house, agent, id: id as string, displaced }
}

const everything = async (dir: string): Promise<string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Promise.all(
    paths.map(async (path) => `${path.slice(dir.length)} ${await readFile(path, 'utf8')}`),
  )
}

describe('a data directory under a running service', () => {
  test('that gives way to a copy is written no more, nor is the copy, and the service is told', async () => {
    await using folder = await openFolder()
    const { house, agent, id, dir, copy, aside, displaced } = await openStore(folder.path)
    await using _ = house
    const before = await everything(copy)

    await rename(dir, aside)
    await rename(copy, dir)

    await expect(agent.call('notes_append', { id, body: 'more' })).rejects.toThrow(GONE)
    const draft = { title: 'New', body: 'B', project: 'delta' }
    await expect(agent.call('notes_create', draft)).rejects.toThrow(GONE)
    await expect(agent.call('notes_read', { id })).rejects.toThrow(GONE)
    await expect.poll(() => displaced.by).toBe('elsewhere')
    await house.close()
    expect(await everything(dir)).toEqual(before)
  })

  test('that gives way to an empty place for a mount is waited for', async () => {
    await using folder = await openFolder()
    const { house, agent, id, dir, aside, displaced } = await openStore(folder.path)
    await using _ = house

    await rename(dir, aside)
    await mkdir(dir)
    await expect(agent.call('notes_append', { id, body: 'more' })).rejects.toThrow(GONE)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(await readdir(dir)).toEqual([])
    await rm(dir, { recursive: true })
    await rename(aside, dir)

    await agent.call('notes_append', { id, body: 'more' })
    expect(displaced.by).toBe('')
  })
})
