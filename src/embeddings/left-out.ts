/**
 * Passages that the provider could not read. Their item is put off only when all its other passages are read: a long note
 * would wait for hours with each passage that cannot be read.
 */
import { keyOf, type Due, type Reading } from './queue.ts'

type Item = Pick<Due, 'kind' | 'id'>

export interface LeftOut {
  add(reading: Reading, cause: string): void
  /** What of an item was met last; undefined when nothing of it was left out. */
  causeOf(item: Item): string | undefined
  /** As `due.sql` takes them. */
  passages(): string[]
  /** Has the passages of the item asked for again. */
  forget(item: Item): void
  /** The same of all items. */
  clear(): void
}

export function leftOut(): LeftOut {
  const items = new Map<string, { cause: string; passages: Set<string> }>()
  return {
    add(reading, cause) {
      const key = keyOf(reading)
      const passages = items.get(key)?.passages ?? new Set()
      items.set(key, { cause, passages: passages.add(`${key} ${reading.hash}`) })
    },
    causeOf: (item) => items.get(keyOf(item))?.cause,
    passages: () => [...items.values()].flatMap(({ passages }) => [...passages]),
    forget: (item) => void items.delete(keyOf(item)),
    clear: () => items.clear(),
  }
}
