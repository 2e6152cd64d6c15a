import { conflict } from '../kernel/refusal.ts'
import type { FileBytes } from '../kernel/files.ts'

/** Marks the hash of a file of which only a part was told. */
const PARTIAL = 'partial:'

export const partialHash = (hash: string): string => `${PARTIAL}${hash}`

/** The hash of the file after a change, for one who has read no more of it than before. */
export const hashAfter = (expected: string | undefined, hash: string): string =>
  isPartial(expected) ? partialHash(hash) : hash

const isPartial = (expected: string | undefined): boolean => asHash(expected).startsWith(PARTIAL)

const asHash = (expected = ''): string => expected.trim().toLowerCase()

/**
 * Refuses when the file, read inside the lock, is not the one the caller read; with `whole`, which is when the
 * whole body is replaced, also when the caller read only a part of it.
 */
export function refuseStale(
  file: FileBytes,
  expected: string | undefined,
  what: 'memory' | 'note',
  { whole = false }: { whole?: boolean } = {},
): void {
  const hash = asHash(expected)
  if (!hash) return
  if (hash.replace(PARTIAL, '') !== file.hash) {
    throw conflict(
      `expect_hash ${JSON.stringify(hash.slice(0, 80))} is stale: its content_hash is ${file.hash}; ` +
        `read the ${what} again`,
    )
  }
  if (whole && isPartial(hash)) throw conflict(unread(what))
}

const unread = (what: 'memory' | 'note'): string =>
  `expect_hash is of a part: you have not read the whole ${what}, and body replaces all of it. Change ` +
  `what you read with ${what === 'note' ? 'notes' : 'memory'}_edit; or read on as next says, and when ` +
  `you have read all of it pass the hash without "${PARTIAL}"`
