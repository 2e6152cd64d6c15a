import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { Config } from '../config.ts'
import type { ChatModel } from './chat.ts'
import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Embedder } from './embedder.ts'
import type { EventKind, PendingEvent, Recorded } from './event-kind.ts'
import type { Failpoint } from './failpoint.ts'
import type { Feed } from './feed.ts'
import type { Disk, FileBytes, Files } from './files.ts'
import type { Followers } from './followers.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Network } from './network.ts'
import type { Pace } from './pace.ts'
import type { Refusal } from './refusal.ts'
import type { Telemetry } from './telemetry.ts'

export { NOBODY, type Actor } from './actor.ts'
export type { Db } from './db.ts'

/** What an operation needs from the world. Always the first parameter; nothing here is global. */
export interface Kernel {
  db: Db
  clock: Clock
  log: Logger
  config: Config
  /** The markdown files on disk, and the only way to write one. */
  vault: Vault
  /** How far the rows are behind those files. */
  catchUp: CatchUp
  /** The batching writer of transport events: calls, hits and misses. Acts use record() instead. */
  telemetry: Telemetry
  /** What the database said of a caller, while it holds. */
  kept: KeptAnswers
  /** Every recorded event, once, to each subscriber. */
  feed: Feed
  /** What optional rooms do after an event was committed. */
  followers: Followers
  /** The network beyond this machine. */
  network: Network
  /** What turns text into vectors, if the owner has set one up. */
  embedder: Embedder
  /** A model that answers in text, if the owner has set one up. */
  chat: ChatModel
  /** What follows from an event. How a room reaches rooms above it, which it may not import. */
  reactions: readonly Reaction[]
  /** Who asks for something, and how the rest gives way. */
  pace: Pace
  /** Where a test can stop the process. Does nothing in service. */
  failpoint: Failpoint
}

/** A document that was looked for and has no row, or one whose file is not where its row says. */
export interface Missed {
  /** The file kind. */
  kind: string
  /** Its id, when that is known. */
  id?: string
  /** Where a file of that name would lie. */
  paths?: readonly string[]
  /** Its row stands and its file is gone. */
  gone?: boolean
}

/** How far the rows are behind the files. A row that is missing proves nothing before they have caught up. */
export interface CatchUp {
  /**
   * Looks at the files that a miss may mean and brings their rows in line. True: look again.
   * Not for use inside a transaction. Refuses when the folder of the files is missing.
   */
  lookFor(kernel: Kernel, missed: Missed): Promise<boolean>
  /**
   * What is to be said in place of a "no" that was found since `began` (by performance.now()), or
   * undefined when the "no" is true.
   */
  doubt(kernel: Kernel, began: number): Promise<Refusal | undefined>
  /** Why a search that is made now may miss something, or undefined. What was seen since `began` is known. */
  gap(kernel: Kernel, began?: number): Promise<string | undefined>
  /** Takes what the database says of itself (`store.files_read_at`) from a statement that was asked at `began`. */
  saw(filesReadAt: string | null, began: number): void
}

/** What follows from an event, in the same transaction. What it returns is merged into the payload. */
export interface Reaction<Payload extends TSchema = TSchema> {
  to: EventKind<Payload>
  /** Without a look at the database: whether anything follows at all. Left out: always. */
  concerns?(event: Pick<Recorded<Static<Payload>>, 'payload'>): boolean
  run(kernel: Kernel, event: Recorded<Static<Payload>>): Promise<object | void>
}

/** What a write may have in common with others, and what it asks first. */
export interface HowWritten<Known> {
  /**
   * For changes that put the file they have read and leave its item what it is: those that wait for one path are
   * carried out together, each on what the one before it made.
   */
  shared?: boolean
  /** For a decision that only reads: it shares a transaction with others that wait. */
  grouped?: boolean
  /** Asks what the decision has to know in any case: right behind the locks, without waiting for them, and so under them. */
  ahead?(db: Db): Promise<Known>
  /**
   * Asks what its caller would like to know besides, and the decision does not need: of the database, at the same time. Where
   * one transaction waits for the end of another it is asked within this one, right behind `ahead`, and must not fail there.
   * A write that starts again asks again. One that is shared asks nothing.
   */
  beside?(db: Db): void
}

/** The markdown files on disk: the truth from which rows are derived. */
export interface Vault {
  readonly disk: Disk
  /** The id that the data directory and the database share. */
  readonly storeId: string
  /**
   * Runs one write of one or more files together with their rows, under the locks of `paths`.
   *
   * The rename decides: a failure before it leaves nothing, after it the rows are completed.
   * `indexed: false` says that the files are written and the database stayed away.
   * Throws what `decide` throws, or a Refusal that names the trouble with storage or database.
   */
  write<T, Known = undefined>(
    kernel: Kernel,
    paths: readonly string[],
    decide: (kernel: Kernel, files: Files, known: Known) => Promise<Decision<T>>,
    how?: HowWritten<Known>,
  ): Promise<{ result: T; indexed: boolean }>
  /** The file as it is now, without a lock. Refuses when the data directory is not the store's. */
  read(path: string): Promise<FileBytes | undefined>
  /** Refuses unless the data directory is there and is the store's. */
  assertPresent(): Promise<void>
  /** Refuses when the folder that the path lies in has vanished with its files: `notes/`. */
  assertFolder(db: Db, path: string): Promise<void>
}

/**
 * What a write decided: its result, the rows that follow from the staged files, and the act. Rows
 * and act must be idempotent: both run again in a fresh transaction when the first one was lost
 * after the rename.
 */
export interface Decision<T> {
  result: T
  /** Brings every derived row in line with the staged files. */
  rows(kernel: Kernel): Promise<unknown>
  /** The acts to be recorded. They have happened even when another write came before the rows could be mended. */
  events?: readonly PendingEvent[]
  /** What else belongs to the act. */
  act?(kernel: Kernel): Promise<unknown>
}
