import type { Db } from '../kernel/kernel.ts'
import type { ItemKind } from '../passages/passages.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'

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
  /** When it was changed last. */
  changed_at: Date
  /** In seconds. */
  age: number
  /** How much it was read when it had been shown, from 0 to below 1. */
  utility: number
}

/** What tells items apart: a file that was copied by hand has the id of another. */
export const keyOf = ({ kind, id }: Keyed): string => `${kind} ${id}`

export type Keyed = Pick<Item, 'kind' | 'id'>

const items = scopeSql<{ kinds: string[]; ids: string[] }, Item, AnyScope>('recall/items', {
  kept: true,
})

/** Those of the items that are there and may be seen, in no order. */
export async function showItems(
  db: Db,
  scope: AnyScope,
  wanted: readonly { kind: ItemKind; id: string }[],
): Promise<Item[]> {
  if (wanted.length === 0) return []
  const kinds = wanted.map(({ kind }) => kind)
  return items(db, scope, { kinds, ids: wanted.map(({ id }) => id) })
}
