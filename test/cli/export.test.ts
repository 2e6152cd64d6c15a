import { existsSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportStore } from '../../src/cli/operator/transfer/export.ts'
import { importFrom } from '../../src/cli/operator/transfer/import.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'
import { mayMount, mountSmallDisk } from '../helpers/small-disk.ts'

test('an export goes on beside whoever deletes notes, and misses none that is moved', async () => {
  await using house = await openHouse()
  await using folder = await openFolder()
  const notes = join(house.dir, 'notes')
  const names = Array.from({ length: 300 }, (_, at) => `n${String(at).padStart(3, '0')}.md`)
  await Promise.all(['alpha', 'zeta'].map((name) => mkdir(join(notes, name))))
  await Promise.all(names.map((name) => writeFile(join(notes, 'zeta', name), 'of zeta')))
  await writeFile(join(notes, 'alpha', 'own.md'), 'of alpha')

  const path = join(folder.path, 'export')
  const exporting = exportStore(house.app, path)
  // By now the folder of alpha was read, and the names in that of zeta.
  while (!existsSync(join(path, 'notes/zeta/n000.md')))
    await new Promise((resolve) => setImmediate(resolve))
  renameSync(join(notes, 'zeta/n299.md'), join(notes, 'alpha/moved.md'))
  for (const name of names.slice(0, -1)) rmSync(join(notes, 'zeta', name))
  await exporting

  expect(await readdir(join(path, 'notes/alpha'))).toEqual(['moved.md', 'own.md'])
  expect(await readdir(join(path, 'notes/zeta'))).not.toContain('n299.md')
})

test('an export that is broken off is marked, and is not imported for a whole one', async () => {
  await using house = await openHouse()
  await using folder = await openFolder()
  const agent = await house.inside('atlas')
  await agent.call('notes_create', { title: 'Tides', body: 'They turn at noon.' })
  const path = join(folder.path, 'export')
  const names = async () => (await readdir(path)).toSorted()

  const exporting = exportStore(house.app, path)
  while (!existsSync(join(path, 'INCOMPLETE'))) await new Promise((done) => setImmediate(done))
  expect(existsSync(join(path, 'notes'))).toBe(false)
  await exporting
  expect(await names()).not.toContain('INCOMPLETE')

  await writeFile(join(path, 'INCOMPLETE'), '')
  await expect(importFrom(house.app, { from: path })).rejects.toThrow(
    `the export at ${path} was broken off`,
  )
  rmSync(join(path, 'INCOMPLETE'))
  expect((await importFrom(house.app, { from: path })).skipped).toBeGreaterThan(0)
})

test.skipIf(!mayMount)(
  'an export to a full disk names its own file and says that it is not complete',
  async () => {
    await using house = await openHouse()
    await using folder = await openFolder()
    const agent = await house.inside('atlas')
    await agent.call('tasks_add', { title: 'kept', body: 'x'.repeat(60_000) })
    const disk = join(folder.path, 'disk')
    await mkdir(disk)
    const unmount = await mountSmallDisk(disk, '32k')
    try {
      await expect(exportStore(house.app, join(disk, 'export'))).rejects.toThrow(
        /rows\/\w+\.jsonl cannot be written \(ENOSPC\); the export is not complete/,
      )
    } finally {
      await unmount()
    }
  },
)
