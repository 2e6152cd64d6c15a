/** What a crash left in the data directory: temp files and intents, each under the locks of its paths. */
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { sweepAt } from './disk.ts'
import { completeIntent, pathsOf, readIntent } from './intent.ts'
import { tempTarget } from './paths.ts'
import { oweRows } from './unindexed.ts'
import { lockKeys, lockPaths } from './locks.ts'

/** Removes the temp file of a dead write. The holder of its target's lock is alone with it. */
export async function sweepTemp(kernel: Kernel, directory: string, name: string): Promise<void> {
  const target = tempTarget(name)
  if (target === null) return
  await inTransaction(kernel, async (kernel) => {
    await lockPaths(kernel.db, [`${directory}/${target}`])
    await sweepAt(kernel.vault.disk, `${directory}/${name}`)
  })
}

/**
 * Carries out an intent under the locks of everything that it touches. The rows of its files are owed
 * from then on; false: its writer has finished it meanwhile.
 */
export async function completeLeftIntent(kernel: Kernel, path: string): Promise<boolean> {
  const { disk } = kernel.vault
  const intent = await readIntent(disk, path)
  if (!intent) return false
  return inTransaction(kernel, async (kernel) => {
    await lockPaths(kernel.db, pathsOf(intent))
    if (!(await readIntent(disk, path))) return false
    await oweRows(disk, pathsOf(intent))
    await completeIntent(disk, path)
    return true
  })
}

/** Removes an intent whose writing was not finished. */
export async function sweepIntent(
  kernel: Kernel,
  { path, key }: { path: string; key: string },
): Promise<void> {
  await inTransaction(kernel, async (kernel) => {
    await lockKeys(kernel.db, [key])
    await sweepAt(kernel.vault.disk, path)
  })
}
