import { createHash } from 'node:crypto'
import { nameProblem } from '../text/slug.ts'

/** SHA-256 of all the bytes of a file, lower-case hex. */
export const contentHash = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('hex')

/** The key of a path's advisory lock: 64 bits, as the signed decimal that PostgreSQL takes. */
export const lockKey = (path: string): string =>
  createHash('sha256').update(`loam file ${path}`).digest().readBigInt64BE().toString()

/**
 * Refuses a path that could leave the data directory or be another file on another system.
 *
 * Rooms build paths from validated slugs; this is the second look, at the last moment before a
 * file is touched. An error here is a bug of ours, so it is not worded for callers.
 */
export function assertPath(path: string): void {
  const problem = path
    .split('/')
    .map(nameProblem)
    .find((found) => found !== null)
  if (problem) throw new Error(`unsafe path in the vault: ${problem}`)
}

/**
 * A temp file lies beside its target and is named after it, so that a clean-up can take the lock of
 * that target first. Dot files are never knowledge.
 */
const TEMP = /^\.(.+)\.[0-9A-HJKMNP-TV-Z]{26}\.tmp$/

export const tempName = (target: string, id: string): string => `.${target}.${id}.tmp`

/** The file name that a temp file was meant for, or null when it is no temp file of ours. */
export const tempTarget = (name: string): string | null => TEMP.exec(name)?.[1] ?? null
