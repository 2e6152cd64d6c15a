import type { Db } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { ItemKind } from '../passages/passages.ts'
import type { Where } from './retriever.ts'

/** What is shown of an item. */
export interface Item {
  kind: ItemKind
  id: string
  name: string
  title: string
  description: string
  /** '' is the global scope. */
  project: string
  favorite: boolean
  /** Of a task or a session; '' for what has none. */
  status: string
  /** In seconds. */
  age: number
  /** How much it is asked for, from 0 to below 1. */
  utility: number
}

type Params = Where & { kinds: string[]; ids: string[] }
const items = sqlFile<Params, Item>('recall/items')

/** Those of the items that are there and may be seen, in no order. */
export async function showItems(
  db: Db,
  { searched, everywhere }: Where,
  wanted: readonly { kind: ItemKind; id: string }[],
): Promise<Item[]> {
  if (wanted.length === 0) return []
  const kinds = wanted.map(({ kind }) => kind)
  return items(db, { searched, everywhere, kinds, ids: wanted.map(({ id }) => id) })
}
