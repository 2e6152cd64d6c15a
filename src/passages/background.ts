/** Work after a write has been answered. Each job runs under a lease, on one process. */
import type { Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { inTransaction } from '../postgres/transaction.ts'
import type { Item, ItemKind } from './item.ts'
import { dropItem, indexItem } from './indexing.ts'
import { putOff, queueOlder, takeQueued, unqueue, type Queued } from './store.ts'

/** As many changes as the statistics take in at once: well under 100 ms on the embedded database. */
const CHANGES_AT_ONCE = 50

/** What could not be indexed waits so long for its next turn. */
const PUT_OFF_SECONDS = 60

const takeChanges = sqlFile<{ limit: number }, { taken: number }>('passages/update_statistics', {
  kept: true,
})
export const findItem = sqlFile<{ kind: string; id: string }, Item>('passages/item', { kept: true })

/**
 * Adds what was written since to the word statistics. Until then searches are as right and a little
 * slower. Returns how many changes were added; stops after `most`, or when `going` says so.
 */
export async function updateStatistics(
  kernel: Kernel,
  { most = 5_000, going = () => true }: { most?: number; going?: () => boolean } = {},
): Promise<number> {
  let taken = 0
  while (taken < most && going()) {
    const [row] = await inTransaction(kernel, ({ db }) =>
      takeChanges(db, { limit: CHANGES_AT_ONCE }),
    )
    taken += row?.taken ?? 0
    if ((row?.taken ?? 0) < CHANGES_AT_ONCE) break
  }
  return taken
}

/**
 * Indexes items that were too long for one write or that an older normaliser read, some passages of
 * one item in each transaction. Returns how many such steps were taken.
 */
export async function indexQueued(
  kernel: Kernel,
  { most = 100, going = () => true }: { most?: number; going?: () => boolean } = {},
): Promise<number> {
  let steps = 0
  while (steps < most && going() && (await indexNext(kernel))) steps++
  return steps
}

/** False when nothing waits. An item that cannot be indexed keeps nobody else waiting. */
async function indexNext(kernel: Kernel): Promise<boolean> {
  let queued = undefined as Queued | undefined
  try {
    return await inTransaction(kernel, async (kernel) => {
      queued = await takeQueued(kernel.db)
      if (queued === undefined) return false
      await indexAgain(kernel, queued)
      return true
    })
  } catch (err) {
    if (queued === undefined) throw err
    kernel.log.error({ err, ...queued }, 'an item could not be indexed')
    await putOff(kernel.db, queued.kind, queued.id, PUT_OFF_SECONDS)
    return true
  }
}

/** The lock on the queue's row keeps writers of the item off meanwhile. */
async function indexAgain(kernel: Kernel, queued: Queued): Promise<void> {
  const [item] = await findItem(kernel.db, queued)
  if (item) return indexItem(kernel, item)
  await dropItem(kernel, queued.kind as ItemKind, queued.id)
  await unqueue(kernel.db, queued.kind, queued.id)
}

/** Queues items whose rows were made by another version of the normaliser, some at a time. */
export function queueStale(kernel: Kernel, { most = 500 } = {}): Promise<number> {
  return queueOlder(kernel.db, most)
}
