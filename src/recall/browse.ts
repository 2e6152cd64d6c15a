import type { Db } from '../kernel/kernel.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'
import { showItems } from './items.ts'
import type { Found } from './search.ts'

interface Params {
  memory_kind: string
  at: Date | null
  limit: number
}
const newest = scopeSql<Params, { kind: 'memory'; id: string }>('recall/browse')

/** Memories of one kind, the ones changed last first. Unranked: each has the score 0. */
export async function browse(
  db: Db,
  scope: Scope,
  {
    memoryKind = '',
    at,
    limit,
  }: { memoryKind?: string | undefined; at?: Date | undefined; limit: number },
): Promise<Found[]> {
  const listed = await newest(db, scope, { memory_kind: memoryKind, at: at ?? null, limit })
  const items = await showItems(db, scope, listed)
  const shown = new Map(items.map((item) => [item.id, item]))
  return listed.flatMap(({ id }) => {
    const item = shown.get(id)
    return item ? [{ ...item, score: 0, source: 'browse' as const, boosts: {} }] : []
  })
}
