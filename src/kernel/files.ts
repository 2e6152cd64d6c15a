import type { Held } from './held.ts'

/** The data directory. */
export interface Disk {
  /** Absolute; leads to the directory that was opened, whatever its name leads to by now. */
  readonly root: string
  readonly held: Held
  /** Whether another machine may have the directory open too: reads may then be old for a moment. */
  readonly shared: boolean
}

/** A knowledge file as it was read. */
export interface FileBytes {
  /** Below the data directory, forward slashes: `notes/atlas/queue-study.md`. */
  path: string
  bytes: Buffer
  /** SHA-256 of all the bytes, lower-case hex. */
  hash: string
  /** What the file system says of it; absent while the bytes are not on disk. */
  times?: FileTimes
}

/** To the millisecond. */
export interface FileTimes {
  /** When it was made, or changed last where that was earlier: a copy may keep only the latter. */
  made: Date
  changed: Date
}

/** What a write may do while it holds the locks of its paths. */
export interface Files {
  /** Now by the database's clock, and later than `previous` by a millisecond at least. */
  nextTime(previous?: Date): Date
  /** The file, or undefined when there is none. Never from a cache. */
  read(path: string): Promise<FileBytes | undefined>
  /** Stages new bytes; returns their hash. Nothing is on disk before the write's decision. */
  put(path: string, bytes: Buffer): string
  /** Stages a removal. */
  remove(path: string): void
  /** Runs a look-up under the lock once for all changes that share the write and use the same key. */
  once<T>(key: string, look: () => Promise<T>): Promise<T>
}
