import { existsSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportStore } from '../../src/cli/operator/transfer/export.ts'
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
