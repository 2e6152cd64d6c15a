/** What happened to an item, as its sheet shows it (views/partials/history.liquid). */
import type { EventKind } from '../kernel/event-kind.ts'
import type { Db } from '../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'
import { CALLED } from './sessions/called.ts'

export interface ItemEvent {
  id: string
  ts: Date
  kind: string
  /** What it is called; '' when nobody is known. */
  session: string
  session_id: string | null
  summary: string
}

const ROWS = 12

/** The last events of these kinds, newest first. */
export async function historyOf(
  db: Db,
  owner: OwnerScope,
  id: string,
  kinds: readonly EventKind[],
): Promise<ItemEvent[]> {
  checkOwner(owner)
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const rows = await db
    .selectFrom('events as e')
    .leftJoin('sessions as s', 's.id', 'e.session_id')
    .select(['e.id', 'e.ts', 'e.kind', 'e.payload', 's.id as session_id', CALLED.as('session')])
    .where('e.item_id', '=', id)
    .where('e.kind', 'in', [...byName.keys()])
    .orderBy('e.ts', 'desc')
    .orderBy('e.id', 'desc')
    .limit(ROWS)
    .execute()
  return rows.map(({ payload, session, ...row }) => ({
    ...row,
    session: session ?? '',
    summary: byName.get(row.kind)!.summary(payload as Record<string, never>),
  }))
}
