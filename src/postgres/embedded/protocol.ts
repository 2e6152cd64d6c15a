/** What the main thread and the database's thread say to each other. */
import type { Leads } from '../../kernel/held.ts'
import type { Place } from './ground.ts'

/** How the thread begins. */
export interface Setup {
  /** Null: in memory. */
  cluster: Place | null
  /** A tar of a cluster to begin with where there is none yet; null: an empty one. */
  snapshot: string | null
  /** Odd while a statement runs: each begin and each end adds one. Shared, so that a stuck thread can be seen. */
  turns: SharedArrayBuffer
  /** Nanoseconds that all statements took, in 64 bits. */
  worked: SharedArrayBuffer
  /** How often what calls begin with has changed, in 32 bits. It grows before the change is acknowledged. */
  changes: SharedArrayBuffer
  /** For a transaction that lies open without a statement. */
  idleInTransactionMs: number
}

export type ToDatabase =
  | { say: 'bytes'; connection: number; bytes: Uint8Array }
  | { say: 'gone'; connection: number }
  | { say: 'dump'; file: string }
  | { say: 'close' }

export type FromDatabase =
  /** With the identity of the cluster on disk. */
  | { say: 'ready'; identity: string | null }
  | { say: 'bytes'; connection: number; bytes: Uint8Array }
  | { say: 'gone'; connection: number }
  /** The thread ends after this. `cause` is for the log. */
  | { say: 'failed'; reason: string; cause: string }
  /** The cluster's name leads there, and not to the cluster. The thread ends and writes nothing more. */
  | { say: 'displaced'; leads: Leads }
  /** The dump is written, or why it is not. */
  | { say: 'dumped'; problem: string | null }
  | { say: 'closed' }
