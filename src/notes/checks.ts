import { conflict, invalid } from '../kernel/refusal.ts'
import { titleProblem } from '../kernel/slug.ts'
import type { FileBytes } from '../kernel/vault.ts'

/** A note grows by appending; past this it answers nobody's question any more. 4 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export function checkTitle(title: string): void {
  const problem = titleProblem(title)
  if (problem) throw invalid(`invalid title: ${problem}`)
}

export function checkSize(body: string): void {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalid('the note would be larger than 4 MiB; begin a new one and link it')
  }
}

/** Refuses when the file, read inside the lock, is not the one the caller read. */
export function refuseStale(
  file: FileBytes,
  expected: string | undefined,
  readable: boolean,
): void {
  const hash = expected?.trim().toLowerCase()
  if (!hash || hash === file.hash) return
  const found = readable ? `its content_hash is ${file.hash}` : 'its content has changed'
  throw conflict(
    `expect_hash ${JSON.stringify(hash.slice(0, 80))} is stale: ${found}; read the note again`,
  )
}
