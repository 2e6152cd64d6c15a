/** How far the store has vectors, and of which models. Counted in parts, so that no statement is long. */
import type { Db } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'

/** The vectors of one model. */
export interface ModelCount {
  model: string
  dims: number
  number: number
  /** Items, and among them memories and notes. */
  count: number
  memories: number
  notes: number
  passages: number
  /** When the last one was made; RFC 3339. */
  updated: string
}

export interface VectorCounts {
  /** Active items; those that lack vectors altogether or in part; those with vectors of another model. */
  total: number
  missing: number
  stale: number
  /** Active passages, and those of them that the model in use has not read. */
  passages: number
  unread: number
  /** The one of most items first. */
  models: ModelCount[]
}

type Counted = Omit<ModelCount, 'model' | 'dims'>
interface Part extends Omit<VectorCounts, 'models'> {
  models: Counted[]
  kind: string
  id: string
}
const countSome = sqlFile<{ model: number; kind: string; id: string; limit: number }, Part>(
  'embeddings/count',
  { kept: true },
)

const SUMMED = ['total', 'missing', 'stale', 'passages', 'unread'] as const

/** Items that one statement looks at: some 20 ms. */
const MOST_ITEMS = 1_000

/** Counts what there is of every model; `model` is the number of the one in use, 0 for none. */
export async function countVectors(db: Db, model: number): Promise<VectorCounts> {
  const sums = { total: 0, missing: 0, stale: 0, passages: 0, unread: 0 }
  const byModel = new Map<number, Counted>()
  for (let [kind, id] = ['', '']; ;) {
    const [part] = await countSome(db, { model, kind, id, limit: MOST_ITEMS })
    if (!part) break
    for (const name of SUMMED) sums[name] += part[name]
    for (const one of part.models) byModel.set(one.number, added(byModel.get(one.number), one))
    ;({ kind, id } = part)
  }
  return { ...sums, models: await named(db, [...byModel.values()]) }
}

function added(before: Counted | undefined, more: Counted): Counted {
  const updated = new Date(more.updated).toISOString()
  if (!before) return { ...more, updated }
  return {
    number: more.number,
    count: before.count + more.count,
    memories: before.memories + more.memories,
    notes: before.notes + more.notes,
    passages: before.passages + more.passages,
    updated: before.updated > updated ? before.updated : updated,
  }
}

async function named(db: Db, counts: readonly Counted[]): Promise<ModelCount[]> {
  const rows = await db.selectFrom('models').select(['number', 'name', 'dims']).execute()
  return counts
    .flatMap((counted) => {
      const row = rows.find(({ number }) => number === counted.number)
      // The name ends in `@` and the dimensions.
      return row ? [{ ...counted, model: row.name.replace(/@\d+$/, ''), dims: row.dims }] : []
    })
    .sort((a, b) => b.count - a.count || (a.model < b.model ? -1 : 1) || a.dims - b.dims)
}
