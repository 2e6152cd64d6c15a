import { conflict } from '../kernel/refusal.ts'
import type { FileBytes } from '../kernel/files.ts'

/** Refuses when the file, read inside the lock, is not the one the caller read. */
export function refuseStale(
  file: FileBytes,
  expected: string | undefined,
  { what, readable }: { what: string; readable: boolean },
): void {
  const hash = expected?.trim().toLowerCase()
  if (!hash || hash === file.hash) return
  const found = readable ? `its content_hash is ${file.hash}` : 'its content has changed'
  throw conflict(
    `expect_hash ${JSON.stringify(hash.slice(0, 80))} is stale: ${found}; read the ${what} again`,
  )
}
