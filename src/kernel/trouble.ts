import { Refusal, unavailable } from './refusal.ts'
import { sqlState } from './sql-state.ts'

const STORAGE: Record<string, string> = {
  ENOSPC: 'storage full',
  EDQUOT: 'storage full',
  EROFS: 'storage is read-only',
  EACCES: 'storage is read-only',
  EPERM: 'storage is read-only',
  EIO: 'storage failed; see the log of the server',
  ENODEV: 'storage is missing',
  ENXIO: 'storage is missing',
  ESTALE: 'storage is missing',
  EMFILE: 'too many open files; try again',
  ENFILE: 'too many open files; try again',
}

const UNUSABLE: Record<string, string> = {
  EACCES: 'the user that the service runs as may not write in it; change its owner or its mode',
  EPERM: 'the user that the service runs as may not write in it; change its owner or its mode',
  EROFS: 'its disk is read-only; mount it for writing',
  ENOSPC: 'its disk is full; make room',
  EDQUOT: 'its disk is full; make room',
  EIO: 'its disk fails; see the log of the system',
  ENOTDIR: 'something on the way to it is not a directory; check data_dir',
  EEXIST: 'it is not a directory; check data_dir',
  ELOOP: 'it is a link that leads nowhere; check data_dir',
  ENOENT: 'it is a link that leads nowhere; check data_dir',
  EMFILE: 'the service may open too few files; raise its limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  ENAMETOOLONG: 'its name is too long; check data_dir',
}

const DATABASE: Record<string, string> = {
  '53100': 'storage full',
  '53200': 'the database is out of memory; try again',
  '53300': 'the database has no connection free; try again',
  '57014': 'the database took too long; try again',
  '55P03': 'the item is being written by others; try again',
  '40P01': 'the item is being written by others; try again',
  '40001': 'the item is being written by others; try again',
  '25006': 'the database is read-only',
  '58030': 'storage failed; see the log of the server',
  EMFILE: 'too many open files; try again',
}

const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])

/** What a file system's error means to a caller, or undefined when it is none that we know. */
export function storageTrouble(error: unknown): Refusal | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  const words = STORAGE[code]
  return words ? unavailable(words, error) : undefined
}

/** Why a directory cannot be used, and what to do, for the person who starts the service; undefined: not known. */
export const unusable = (error: unknown): string | undefined =>
  UNUSABLE[(error as NodeJS.ErrnoException | null)?.code ?? '']

/** What a database's error means to a caller, or undefined when it is our bug. */
export function databaseTrouble(error: unknown): Refusal | undefined {
  const state = sqlState(error)
  const words = DATABASE[state]
  if (words) return unavailable(words, error)
  return isAway(error) ? unavailable('the database does not answer; try again', error) : undefined
}

/** Whether the database itself does not answer, which is nobody's fault in particular. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error)
  if (DATABASE[state]) return false
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  const message = error instanceof Error ? error.message : ''
  // Classes 08 and 57P: the connection is lost, or the server stops or starts. 25P03: idle too long.
  return (
    /^(08|57P|25P03)/.test(state) ||
    AWAY.has(code) ||
    // The driver's own words have no code.
    /connection terminated|timeout exceeded when trying to connect|connection ended|after calling end|not queryable|did not answer in time/i.test(
      message,
    )
  )
}

/** The refusal that an error stands for: itself, trouble below us, or undefined for our own bug. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return storageTrouble(error) ?? databaseTrouble(error)
}
