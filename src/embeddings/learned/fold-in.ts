/** Gives passages their vectors of a learned model: all of them once, and later those that a writer left behind. */
import { sql } from 'kysely'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Pace } from '../../kernel/pace.ts'
import type { Lease } from '../../postgres/leases.ts'
import { sqlFile } from '../../postgres/sql-file.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { keepVectors } from '../queue.ts'
import { wordsStored } from './gather.ts'
import { passageWords, type Reader } from './model.ts'

export interface Going {
  going: () => boolean
  lease?: Lease | undefined
  /** Left out where somebody waits for it. */
  pace?: Pace | undefined
}

interface Place {
  kind: string
  id: string
  chunk: number
}
type Unfolded = Place & { hash: string; words: string | null }
const nextUnfolded = sqlFile<Place & { model: number; limit: number }, Unfolded>(
  'embeddings/unfolded',
)

/** Passages in one statement: well under 100 ms on the embedded database. */
const AT_ONCE = 64

/** Every passage that lacks its vector. False when it was stopped before the end: it begins anew next time. */
export async function foldAll(
  kernel: Kernel,
  model: number,
  reader: Reader,
  { going, lease, pace }: Going,
): Promise<boolean> {
  let last: Place = { kind: '', id: '', chunk: -1 }
  while (going()) {
    const began = performance.now()
    const rows = await nextUnfolded(kernel.db, { ...last, model, limit: AT_ONCE })
    const end = rows.at(-1)
    if (!end) return true
    await queueAgain(kernel, await keep(kernel, model, reader, rows, lease))
    last = { kind: end.kind, id: end.id, chunk: end.chunk }
    await pace?.rest(performance.now() - began)
  }
  return false
}

/** Returns those that still lack their vector, for somebody writes them. */
async function keep(
  kernel: Kernel,
  model: number,
  reader: Reader,
  passages: readonly (Place & { hash: string; words: string | null })[],
  lease: Lease | undefined,
): Promise<Place[]> {
  const read = passages.flatMap(({ words, ...passage }) => {
    const vector = words === null ? undefined : reader.read(passageWords(wordsStored(words)))
    return vector ? [{ passage, vector }] : []
  })
  if (read.length === 0) return []
  return inTransaction(kernel, async (kernel) => {
    await lease?.stillMine(kernel)
    return keepVectors(
      kernel.db,
      model,
      read.map(({ passage }) => passage),
      read.map(({ vector }) => vector),
    )
  })
}

/** Whoever writes a passage may leave it as it is: it is looked at again. */
async function queueAgain({ db }: Kernel, left: readonly Place[]): Promise<void> {
  if (left.length === 0) return
  await db
    .insertInto('fold_queue')
    .values(itemsOf(left).map(({ kind, id }) => ({ kind, id })))
    .onConflict((conflict) =>
      conflict.columns(['kind', 'id']).doUpdateSet({ queued_at: sql<Date>`loam_now()` }),
    )
    .execute()
}

const itemKey = ({ kind, id }: Pick<Place, 'kind' | 'id'>): string => `${kind} ${id}`
const itemsOf = <T extends Pick<Place, 'kind' | 'id'>>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [itemKey(row), row])).values(),
]

interface Waiting {
  kind: string
  id: string
  seen: Date
  chunk: number | null
  hash: string | null
  words: string | null
}
type After = { seen: string; kind: string; id: string }
const nextItems = sqlFile<After & { items: number }, Waiting>('embeddings/unfolded-items')

const ITEMS_AT_ONCE = 16

/**
 * What was written by processes that did not hold every model. Returns how many items there were. One that is being written
 * stays for the next time.
 */
export async function foldQueued(
  kernel: Kernel,
  readers: ReadonlyMap<number, Reader>,
  { going, lease }: Going,
): Promise<number> {
  let count = 0
  let last: After = { seen: '-infinity', kind: '', id: '' }
  while (going()) {
    const rows = await nextItems(kernel.db, { ...last, items: ITEMS_AT_ONCE })
    const end = rows.at(-1)
    if (!end) break
    const passages = rows.flatMap(({ kind, id, chunk, hash, words }) =>
      chunk === null || hash === null ? [] : [{ kind, id, chunk, hash, words }],
    )
    const left = new Set<string>()
    for (const [model, reader] of readers)
      for (const place of await keep(kernel, model, reader, passages, lease))
        left.add(itemKey(place))
    const done = itemsOf(rows).filter((item) => !left.has(itemKey(item)))
    for (const { kind, id, seen } of done) {
      await kernel.db
        .deleteFrom('fold_queue')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('queued_at', '=', seen)
        .execute()
    }
    count += done.length
    last = { seen: end.seen.toISOString(), kind: end.kind, id: end.id }
  }
  return count
}
