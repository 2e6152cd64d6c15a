import { conflict } from '../kernel/refusal.ts'
import type { FileBytes } from '../kernel/files.ts'

/** Refuses when the file, read inside the lock, is not the one the caller read. */
export function refuseStale(file: FileBytes, expected: string | undefined, what: string): void {
  const hash = expected?.trim().toLowerCase()
  if (!hash || hash === file.hash) return
  throw conflict(
    `expect_hash ${JSON.stringify(hash.slice(0, 80))} is stale: its content_hash is ${file.hash}; ` +
      `read the ${what} again`,
  )
}
