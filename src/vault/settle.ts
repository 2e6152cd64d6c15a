/** What a crash, or a database that was away, has left to be done: moves to finish, rows to make. */
import type { Disk } from '../kernel/files.ts'
import { listIntents } from './intent.ts'
import { completeLeftIntent } from './leftovers.ts'
import { reindexFile } from './reindex.ts'
import { listOwed, settled, type Owed } from './unindexed.ts'
import type { VaultKernel } from './vault.ts'

export interface Settled {
  /** Whether any row was made or moved. */
  changed: boolean
  /** What could not be settled now, as the database or the disk refused. */
  left: number
  /** What only a look at every file settles. */
  everything: Owed[]
}

const NOTHING: Settled = { changed: false, left: 0, everything: [] }

/** Whether anything may be left, by a look at two directories. */
export async function isLeft(disk: Disk): Promise<boolean> {
  const left = await Promise.all([listIntents(disk), listOwed(disk)])
  return left.some(({ length }) => length > 0)
}

/**
 * Completes every move that was cut off and makes the rows that are owed, each under its locks. What
 * another process is in the middle of is waited for, three seconds at most.
 */
export async function settle(kernel: VaultKernel): Promise<Settled> {
  const { disk } = kernel.vault
  const result = { ...NOTHING, everything: [] as Owed[] }
  const attempt = async (path: string, work: () => Promise<boolean>): Promise<void> => {
    try {
      if (await work()) result.changed = true
    } catch (error) {
      await kernel.vault.assertPresent()
      result.left++
      kernel.log.warn({ err: error, path }, 'what was left to be done could not be done now')
    }
  }
  for (const path of await listIntents(disk)) {
    await attempt(path, () => completeLeftIntent(kernel, path))
  }
  for (const owed of await listOwed(disk)) {
    if (owed.paths === null) result.everything.push(owed)
    else await attempt(owed.entry, () => pay(kernel, owed))
  }
  return result
}

async function pay(kernel: VaultKernel, owed: Owed): Promise<boolean> {
  for (const path of owed.paths ?? []) {
    const fileKind = kernel.vault.fileKinds.find(({ root }) => path.startsWith(`${root}/`))
    if (fileKind) await reindexFile(kernel, fileKind, path, { ours: true })
  }
  await settled(kernel.vault.disk, owed)
  return true
}
