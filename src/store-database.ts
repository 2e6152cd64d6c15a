import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { openDatabase, type Database } from './postgres/database.ts'

/** What only the database holds, for people: to be named before it is given up. */
export const NOT_IN_FILES = 'tasks, sessions, findings, trials and events'

/** Opens the database of a store, where its configuration says. @throws Refusal for the person who starts it */
export const openStoreDatabase = (
  { database, data_dir }: Pick<Config, 'database' | 'data_dir'>,
  log: Logger,
): Promise<Database> =>
  openDatabase({
    ...(database.url && { url: database.url }),
    ...(database.listen_url && { listenUrl: database.listen_url }),
    pool: database.pool,
    dir: join(data_dir, 'db'),
    notInFiles: NOT_IN_FILES,
    log,
  })
