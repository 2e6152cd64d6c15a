/**
 * An error of the engine's own file layer, which is no `Error`: all it has is the number of an error of WASI, the system
 * interface of WebAssembly, and as a string it says nothing.
 */
interface FileError {
  name: string
  errno: number
}

/** Those that `problem.ts` has an advice for, as the `errno` of WASI preview 1 numbers them. */
const NAMES: Record<number, string> = {
  2: 'EACCES',
  19: 'EDQUOT',
  29: 'EIO',
  33: 'EMFILE',
  41: 'ENFILE',
  48: 'ENOMEM',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
}

const isFileError = (cause: unknown): cause is FileError =>
  typeof cause === 'object' && cause !== null && 'errno' in cause && 'name' in cause

/** What was thrown in the engine's thread, in words for the log and for `problem.ts`. */
export function causeInWords(cause: unknown): string {
  if (cause instanceof Error || !isFileError(cause)) return String(cause)
  return `${cause.name}: ${NAMES[cause.errno] ?? `error ${cause.errno} of WASI`}`
}
