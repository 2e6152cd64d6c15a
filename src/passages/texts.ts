import type { Db } from '../kernel/kernel.ts'
import { findItem } from './background.ts'
import { cutItem } from './item.ts'

/** The texts of an item's passages at this moment, by their hashes. Empty when there is no such item. */
export async function textsOf(db: Db, kind: string, id: string): Promise<Map<string, string>> {
  const [item] = await findItem(db, { kind, id })
  return new Map(item ? cutItem(item).map(({ hash, text }) => [hash, text]) : [])
}
