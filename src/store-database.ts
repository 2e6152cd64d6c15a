import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { openDatabase, type Database, type DatabaseOptions } from './postgres/database.ts'

/** What only the database holds, for people: to be named before it is given up. */
export const NOT_IN_FILES = 'tasks, sessions, findings, trials and events'

type Where = Pick<Config, 'database' | 'data_dir'>

/**
 * Begins to open the database of a store, where its configuration says, and resolves once it opens by itself: its
 * engine takes half a second, in which the caller may compute. `opened` rejects with a Refusal for the person who
 * starts it.
 */
export async function beginStoreDatabase(
  where: Where,
  log: Logger,
): Promise<{ opened: Promise<Database> }> {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const opened = openDatabase({ ...optionsOf(where, log), begun: resolve })
  // Whoever awaits it hears of it; until then nobody may.
  const go = (): void => resolve()
  opened.then(go, go)
  await begun
  return { opened }
}

const optionsOf = ({ database, data_dir }: Where, log: Logger): DatabaseOptions => ({
  ...(database.url && { url: database.url }),
  ...(database.listen_url && { listenUrl: database.listen_url }),
  pool: database.pool,
  dir: join(data_dir, 'db'),
  notInFiles: NOT_IN_FILES,
  log,
})
