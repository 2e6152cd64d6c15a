import { sql } from 'kysely'
import type { App } from '../../../app.ts'
import {
  changeOf,
  checkedStatus,
  learnedStatus,
  tryEmbedder,
} from '../../../embeddings/embeddings.ts'
import { findFeatures } from '../../../features/features.ts'
import { catalog } from '../../../mcp/catalog.ts'
import { listProblems } from '../../../vault/register.ts'
import { listHeard } from './heard.ts'

export type Status = Awaited<ReturnType<typeof readStatus>>

/**
 * How the store is: its id and its database, by how many seconds the database's clock is corrected, how far the
 * rows are behind the files and which of these could not be indexed, what the embedding provider answers, which
 * chat model is set up, the tools there are, and which hooks were heard.
 */
export async function readStatus({ kernel, database, progress }: App) {
  const engine = sql<{ version: string; schema: number; corrected: number }>`
    select current_setting('server_version') as version,
           (select max(number) from schema_migrations) as schema,
           (select extract(epoch from correction)::double precision from clock) as corrected`
  const { rows } = await engine.execute(kernel.db)
  const { version = '', schema = 0, corrected = 0 } = rows[0] ?? {}
  return {
    pid: process.pid,
    store: kernel.vault.storeId,
    database: { kind: database.kind, version, schema },
    corrected,
    progress: progress(),
    problems: await listProblems(kernel.db),
    embeddings: {
      ...(await tryEmbedder(kernel)),
      ...{ learned: await learnedStatus(kernel), checked: await checkedStatus(kernel) },
      change: await changeOf(kernel),
    },
    chat: kernel.chat.state(),
    tools: catalog.map(({ name }) => name),
    features: await findFeatures(kernel),
    heard: await listHeard(kernel.db),
  }
}
