import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Disk } from '../../src/kernel/files.ts'
import { isDirectory, openDisk, readAt, readOwn, stampAt } from '../../src/vault/disk.ts'

describe.each([
  ['a local disk, which is looked at at once', false],
  ['a network file system, which is looked at beside other work', true],
])('%s', (_, shared) => {
  let dir: string
  let disk: Disk
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'loam-disk-'))
    disk = { ...(await openDisk(dir)), shared }
    await mkdir(join(dir, 'notes/atlas'), { recursive: true })
    await writeFile(join(dir, 'notes/atlas/one.md'), 'of one')
    await symlink(join(dir, 'notes'), join(dir, 'led'))
  })
  afterAll(async () => {
    disk.held.close()
    await rm(dir, { recursive: true })
  })

  test('says of a file what it is, and of nothing that it is nothing', async () => {
    expect(await stampAt(disk, 'notes/atlas/one.md')).toMatchObject({ size: 6 })
    expect(await stampAt(disk, 'notes/atlas/two.md')).toBeUndefined()
    // A file stands where a folder is looked for.
    expect(await stampAt(disk, 'notes/atlas/one.md/two.md')).toBeUndefined()
    expect(await readOwn(disk, 'notes/atlas/one.md')).toBe('of one')
    expect(await readOwn(disk, 'nothing')).toBeUndefined()
    expect((await readAt(disk, 'notes/atlas/one.md'))?.bytes.toString()).toBe('of one')
    expect(await readAt(disk, 'notes/none/one.md')).toBeUndefined()
  })

  test('refuses a folder or a link where a file ought to be, and a link where a folder ought to be', async () => {
    await expect(stampAt(disk, 'notes/atlas')).rejects.toThrow('a link or not a regular file')
    await expect(stampAt(disk, 'led')).rejects.toThrow('a link or not a regular file')
    await expect(readAt(disk, 'led/atlas/one.md')).rejects.toThrow('a link or not a regular file')
    expect(await isDirectory(disk, 'notes')).toBe(true)
    expect(await isDirectory(disk, 'led')).toBe(false)
    expect(await isDirectory(disk, 'nothing')).toBe(false)
  })
})
