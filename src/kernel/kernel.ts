import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Clock } from './clock.ts'
import type { Embedder } from './embedder.ts'
import type { Reaction } from './events.ts'
import type { Failpoint } from './failpoint.ts'
import type { Feed } from '../postgres/feed.ts'
import type { Network } from './network.ts'
import type { Tables } from '../postgres/tables.ts'
import type { Telemetry } from './telemetry.ts'
import type { Vault } from '../vault/vault.ts'

export type Db = Kysely<Tables>

/** What an operation needs from the world. Always the first parameter; nothing here is global. */
export interface Kernel {
  db: Db
  clock: Clock
  log: Logger
  config: Config
  /** The markdown files on disk, and the only way to write one. */
  vault: Vault
  /** The batching writer of transport events: calls, hits and misses. Acts use record() instead. */
  telemetry: Telemetry
  /** Every recorded event, once, to whoever follows. */
  feed: Feed
  /** The network beyond this machine. */
  network: Network
  /** What turns text into vectors, if the owner has set one up. */
  embedder: Embedder
  /** What follows from an event. How a room is heard by rooms above it, which it may not import. */
  reactions: readonly Reaction[]
  /** Where a test can stop the process. Does nothing in service. */
  failpoint: Failpoint
}

/** By whom: stamped on what is written and on each event. Empty means unknown. */
export interface Actor {
  session: string
  model: string
}

/** Nobody in particular: the owner at the command line, a timer, a file changed by hand. */
export const NOBODY: Actor = { session: '', model: '' }
