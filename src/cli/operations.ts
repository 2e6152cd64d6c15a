import { sql } from 'kysely'
import type { App } from '../app.ts'
import { invalid } from '../kernel/refusal.ts'
import { reconcile } from '../kernel/vault/reconcile.ts'
import { copyTo } from './db-copy.ts'

/** How many files with a problem one answer names. */
const PROBLEMS_SHOWN = 200

/** Everything an operator's command can ask of the process that has the store open. */
export const OPERATIONS = {
  /** How the store is: whose it is, on which database, and which files could not be indexed. */
  async status({ kernel, database }: App) {
    const engine = sql<{ version: string; schema: number }>`
      select current_setting('server_version') as version,
             (select max(number) from schema_migrations) as schema`
    const { rows } = await engine.execute(kernel.db)
    const problems = await kernel.db
      .selectFrom('files')
      .select(['path', 'problem'])
      .where('problem', 'is not', null)
      .orderBy('path')
      .limit(PROBLEMS_SHOWN)
      .execute()
    const { version = '', schema = 0 } = rows[0] ?? {}
    const { storeId: store } = kernel.vault
    return { pid: process.pid, store, database: { kind: database.kind, version, schema }, problems }
  },

  /** Rebuilds every derived row from the files. */
  reindex: ({ kernel, database }: App) =>
    database.unhurried(() => reconcile(kernel, { again: true })),

  /** Copies the database to an empty one. */
  copy({ kernel, database }: App, input: unknown) {
    const { to } = (input ?? {}) as { to?: unknown }
    if (typeof to !== 'string') throw invalid('db copy: --to must be the URL of a database')
    return database.unhurried(() => copyTo(kernel.db, to, kernel.log))
  },
}
export type Operation = keyof typeof OPERATIONS

export const isOperation = (name: string): name is Operation => Object.hasOwn(OPERATIONS, name)
