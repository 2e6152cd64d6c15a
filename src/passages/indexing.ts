import type { Db, Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { cutItem, type Item, type ItemKind, type Piece } from './item.ts'
import * as store from './store.ts'
import { NORMALISER, wordsOf } from './words.ts'

/** The most passages that a write waits for. The background indexes the rest of a very long text. */
export const AT_ONCE = 64
/** The same of passages that only begin elsewhere: each is written again with its words. Until then it is shown from beside. */
const MOVED_AT_ONCE = 128
/** Of those that go to another project or end with their item. The others leave with what they were, and are written anew. */
const CARRIED_AT_ONCE = 128

/**
 * Brings the passages of an item in line with what it says now. Passages whose text is as it was are
 * not written again. Call it in the transaction that writes the item.
 *
 * @param fresh the number of its project, of an item that is known to have no passages yet
 */
export function indexItem(kernel: Kernel, item: Item, fresh?: number): Promise<void> {
  return inTransaction(kernel, async ({ db, embedder }) => {
    const { kind, id } = item
    const { stored, project, queued } =
      fresh === undefined
        ? await store.lockStanding(db, kind, id, item.project)
        : { stored: [], project: fresh, queued: false }
    // Passages of a slug that nobody registered would belong to no search.
    if (project === null) throw new Error(`project ${item.project} is not registered`)
    const { moved, write, gone, later, pieces } = plan(item, stored, project)

    const passages = write.map(({ chunk, piece }) => {
      const words = wordsOf(piece.text)
      return { ...piece, ...words, ...embedder.fold(words.counts), chunk }
    })
    const to = { kind, id, project, active: item.active }
    const [passage, ...more] = passages
    if (fresh !== undefined && passage && more.length === 0)
      await store.putFirstPassage(db, { ...to, passage })
    else await store.putPassages(db, { ...to, passages, gone })
    await store.movePassages(db, kind, id, moved)
    if (later > 0) await store.queue(db, kind, id, pieces)
    else if (queued) await store.unqueue(db, kind, id)
  })
}

/** Forgets an item. Call it in the transaction that deletes it. */
export function dropItem(kernel: Kernel, kind: ItemKind, id: string): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    const { stored, queued } = await store.lockStanding(db, kind, id, '')
    const gone = stored.map(({ chunk }) => chunk)
    await store.putPassages(db, { kind, id, project: 0, active: false, passages: [], gone })
    if (queued) await store.unqueue(db, kind, id)
  })
}

/** How many passages of an item are indexed; undefined when recall finds all of it. */
export function indexingOf(
  db: Db,
  kind: ItemKind,
  id: string,
): Promise<{ done: number; of: number } | undefined> {
  return store.findIndexing(db, kind, id)
}

interface Plan {
  /** Passages that stay, and begin elsewhere now. */
  moved: { chunk: number; place: number }[]
  write: { chunk: number; piece: Piece }[]
  gone: number[]
  /** Passages left for the background, and all pieces there are. */
  later: number
  pieces: number
}

/** Which rows stay with their text, which pieces are new, and which rows have lost their text. */
function plan(item: Item, stored: store.Stored[], project: number): Plan {
  const pieces = cutItem(item)
  const isCarried = stored.some((row) => row.project !== project || row.active !== item.active)
  const staying = isCarried ? stored.slice(0, CARRIED_AT_ONCE) : stored
  const byHash = Map.groupBy(staying, (row) => row.hash)
  const moved: Plan['moved'] = []
  const fresh: { chunk?: number; piece: Piece }[] = []
  const stale: { chunk: number; piece: Piece }[] = []
  const kept = new Set<number>()
  for (const piece of pieces) {
    const row = byHash.get(piece.hash)?.shift()
    if (row === undefined) {
      fresh.push({ piece })
      continue
    }
    kept.add(row.chunk)
    if (row.normaliser !== NORMALISER) stale.push({ chunk: row.chunk, piece })
    else if (row.place !== piece.place) moved.push({ chunk: row.chunk, place: piece.place })
  }

  // A number stays with its text, whatever is written before it; new text takes the lowest free ones.
  const write: Plan['write'] = []
  let next = 0
  for (const { chunk, piece } of [...fresh, ...stale].slice(0, AT_ONCE)) {
    if (chunk === undefined) while (kept.has(next)) next++
    write.push({ chunk: chunk ?? next, piece })
    kept.add(chunk ?? next)
  }
  const gone = stored.map(({ chunk }) => chunk).filter((chunk) => !kept.has(chunk))
  const now = moved.slice(0, MOVED_AT_ONCE)
  const later = fresh.length + stale.length - write.length + moved.length - now.length
  return { moved: now, write, gone, later, pieces: pieces.length }
}
