import type { Kernel } from './kernel.ts'

/** A knowledge file as it was read inside its path's lock. */
export interface FileBytes {
  /** Below the data directory, forward slashes: `notes/atlas/queue-study.md`. */
  path: string
  bytes: Buffer
  /** SHA-256 of all the bytes, lower-case hex. */
  hash: string
}

/** What a write may do while it holds the locks of its paths. */
export interface Files {
  /** The file, or undefined when there is none. Never from a cache. */
  read(path: string): Promise<FileBytes | undefined>
  /** Stages new bytes; returns their hash. Nothing is on disk before the write's decision. */
  put(path: string, bytes: Buffer): string
  /** Stages a removal. */
  remove(path: string): void
}

/** What a write decided: the answer, and the rows that follow from the staged files. */
export interface Decision<T> {
  result: T
  /**
   * Brings every derived row in line with the staged files and records the act. Must be idempotent:
   * it is run again in a fresh transaction when the first one was lost after the rename.
   */
  rows(kernel: Kernel): Promise<void>
}

/** The markdown files on disk: the truth from which rows are derived. */
export interface Vault {
  /**
   * Runs one write of one or more files together with their rows, under the locks of `paths`.
   *
   * The rename decides: a failure before it leaves nothing, after it the rows are completed.
   * `indexed: false` says that the files are written and the database stayed away.
   */
  write<T>(
    kernel: Kernel,
    paths: readonly string[],
    decide: (kernel: Kernel, files: Files) => Promise<Decision<T>>,
  ): Promise<{ result: T; indexed: boolean }>
  /** The file as it is now, without a lock. */
  read(path: string): Promise<FileBytes | undefined>
}
