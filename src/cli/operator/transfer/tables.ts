import { sql } from 'kysely'
import type { Db } from '../../../kernel/kernel.ts'

/** Tables whose rows are truth: no file holds what they hold. A table comes before those that refer to it. */
export const ROWS = [
  'settings',
  'projects',
  'repos',
  'families',
  'sessions',
  'session_plans',
  'plan_sessions',
  'tasks',
  'task_deps',
  'trials',
  'events',
  'event_items',
  'moments',
  'item_stats',
  'item_credits',
  'demand_starts',
  'item_uses',
  'use_totals',
  'told_savings',
  'log_counts',
  'miss_totals',
  'session_counts',
  'session_items',
  'proposals',
  'proposal_files',
  'gardener_runs',
] as const

/** Tables that follow from files, or that mean something to one running service only. */
export const NOT_KEPT = [
  'clock',
  'embedding_queue',
  'files',
  'fold_queue',
  'followers',
  // Where a pass begins again at the beginning, what it proposed is settled.
  'gardener_marks',
  'hook_answers',
  'hooks_heard',
  'kept_totals',
  'leases',
  'lexeme_stats',
  'lexeme_totals',
  'links',
  'mcp_sessions',
  'memories',
  'memory_reach',
  'model_parts',
  'models',
  // Counted anew from the log.
  'momentum_counts',
  'notes',
  'passage_changes',
  'passage_queue',
  'passage_totals',
  'passages',
  'pulse',
  'schema_migrations',
  'session_kept',
  'session_totals',
  'shown_lately',
  'shown_memories',
  'shown_surfaces',
  'shown_totals',
  'store',
  'task_totals',
  'told',
  'untold',
  'untold_memories',
  'vectors',
] as const

export interface Kept {
  name: string
  /** The columns that identify a row; rows are written in their order. */
  key: string[]
  /** Without what this database alone gives: numbers of its own, transaction ids. */
  columns: string[]
}

/** Those of the tables that this store has, with their columns as they are now. */
export async function keptTables(db: Db): Promise<Kept[]> {
  const { rows } = await sql<{ table: string; column: string; key: boolean }>`
    select c.relname as table, a.attname as column, coalesce(a.attnum = any (i.indkey), false) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and c.relname = any (${[...ROWS]})
      and a.attgenerated = '' and a.attidentity = '' and a.atttypid <> 'xid8'::regtype
    order by c.relname, a.attnum`.execute(db)
  const byTable = Map.groupBy(rows, ({ table }) => table)
  return ROWS.flatMap((name) => {
    const columns = byTable.get(name) ?? []
    const key = KEYS[name] ?? columns.filter(({ key }) => key).map(({ column }) => column)
    return columns.length === 0 ? [] : [{ name, key, columns: columns.map(({ column }) => column) }]
  })
}

/** Tables that are cut into parts have no key of their own. */
const KEYS: Partial<Record<(typeof ROWS)[number], string[]>> = {
  events: ['id'],
  event_items: ['event_id', 'item_kind', 'item_id', 'class'],
}
