import { existsSync } from 'node:fs'
import { cp, link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hold, type Held } from '../../src/kernel/held.ts'
import { openFolder } from '../helpers/folder.ts'

const LEADS_THROUGH = existsSync('/proc/self/fd')

describe('a folder that is held', () => {
  let parent: Awaited<ReturnType<typeof openFolder>>
  let folder: string
  let held: Held
  beforeEach(async () => {
    parent = await openFolder()
    folder = join(parent.path, 'data')
    await mkdir(folder)
    await writeFile(join(folder, 'file'), 'old')
    held = hold(folder)
  })
  afterEach(async () => {
    held.close()
    await parent[Symbol.asyncDispose]()
  })

  const aside = (): string => join(parent.path, 'aside')
  const both = async () => {
    const leads = await held.leads()
    expect(held.leadsNow()).toBe(leads)
    return leads
  }

  test.each<[string, () => Promise<unknown>, string]>([
    ['is left alone', async () => {}, 'here'],
    ['is moved away', () => rename(folder, aside()), 'nowhere'],
    ['is removed', () => rm(folder, { recursive: true }), 'nowhere'],
    [
      'is replaced by a copy',
      async () => {
        await rename(folder, aside())
        await cp(aside(), folder, { recursive: true })
      },
      'elsewhere',
    ],
    [
      'is replaced by a link to a copy',
      async () => {
        await rename(folder, aside())
        await cp(aside(), join(parent.path, 'copy'), { recursive: true })
        await symlink(join(parent.path, 'copy'), folder)
      },
      'elsewhere',
    ],
    [
      'is moved and reached by a link',
      async () => {
        await rename(folder, aside())
        await symlink(aside(), folder)
      },
      'here',
    ],
    [
      'is moved away and back',
      async () => {
        await rename(folder, aside())
        await rename(aside(), folder)
      },
      'here',
    ],
  ])('that %s: its name leads %3$s', async (_, change, leads) => {
    await change()
    expect(await both()).toBe(leads)
  })

  test.skipIf(!LEADS_THROUGH)('is reached through its root when a copy has its name', async () => {
    await rename(folder, aside())
    await cp(aside(), folder, { recursive: true })
    await writeFile(join(held.root, 'file'), 'new')
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('old')
    expect(await readFile(join(aside(), 'file'), 'utf8')).toBe('new')
  })

  test.skipIf(!LEADS_THROUGH)('takes no more files when it was removed', async () => {
    await rm(folder, { recursive: true })
    await mkdir(folder)
    await expect(writeFile(join(held.root, 'file'), 'new')).rejects.toThrow('ENOENT')
    expect(existsSync(join(folder, 'file'))).toBe(false)
  })

  test('a file that is held is told from another name of the same bytes, and known by a second name', async () => {
    const file = join(folder, 'file')
    const own = hold(file)
    await link(file, join(folder, 'second'))
    await rename(join(folder, 'second'), file)
    expect(own.leadsNow()).toBe('here')
    await writeFile(join(folder, 'other'), 'old')
    await rename(join(folder, 'other'), file)
    expect(own.leadsNow()).toBe('elsewhere')
    own.close()
  })
})
