import { sqlState } from '../kernel/sql-state.ts'

/** Where a database is, for people: no password and no parameters. */
export interface Address {
  /** `host:port`, or a directory for a socket. */
  at: string
  user: string
  name: string
}

const REFUSED = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES'])
const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN'])
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
const UNTRUSTED = /CERT|UNABLE_TO_VERIFY|ALTNAME/
/** What the driver says of a connection that is over. */
const NOT_USABLE = /^(Connection terminated|Client (was closed|has encountered a connection error))/
/** Shut down, crashed, starting up, idle for too long, and every connection exception. */
const GONE = /^(57P0[1-5]|25P03|08...)$/

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

const messageOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(messageOf).join(', ')
    : error instanceof Error
      ? error.message
      : String(error)

/**
 * Why the database is away, in words for anyone; null when the error means something else.
 *
 * What failed may have been done all the same if it was a commit.
 */
export function awayBecause(error: unknown): string | null {
  const [code, state, message] = [codeOf(error), sqlState(error), messageOf(error)]
  if (/timeout exceeded when trying to connect|connection timeout/.test(message))
    return 'the database has no connection free'
  if (/did not answer in time/.test(message)) return 'the database does not answer'
  if (code === '53300') return 'the database accepts no more connections'
  if (REFUSED.has(code) || NO_ADDRESS.has(code)) return 'the database cannot be reached'
  if (BROKEN.has(code) || GONE.test(state) || NOT_USABLE.test(message))
    return 'the connection to the database was lost'
  if (state === '57014') return 'the database took too long'
  if (state === '55P03') return 'what is asked for is locked by another write'
  if (state.startsWith('53') || state === '58030')
    return 'the database has no room or no memory left'
  return null
}

/** Whether the time of a connection was over before it stood. */
export const isLate = (error: unknown): boolean =>
  /timeout|timed out|ETIMEDOUT/.test(`${messageOf(error)} ${codeOf(error)}`)

/** Why a database cannot be used at start, and what to do about it, in one sentence. */
export function startProblem(error: unknown, { at, user, name }: Address): string {
  const [code, message] = [codeOf(error), messageOf(error)]
  const correct = 'correct database.url (LOAM_DATABASE_URL)'
  const { syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  // A certificate or a key: nothing was asked of the server yet.
  if (syscall === 'open' && path)
    return `the file ${path}, which database.url names, cannot be read (${code}): ${correct}`
  if (REFUSED.has(code)) return `the database at ${at} refuses connections: start it, or ${correct}`
  if (NO_ADDRESS.has(code)) return `the database's host in "${at}" has no address: ${correct}`
  if (isLate(error))
    return `the database at ${at} does not answer: check the network and the address, or ${correct}`
  if (code === '28P01' || code === '28000' || /password must be a string/.test(message))
    return `the database at ${at} does not let the user "${user}" in: ${correct}, its user and its password`
  if (code === '3D000')
    return `the server at ${at} has no database "${name}": run create database "${name}" there, or ${correct}`
  if (code === '53300')
    return `the database at ${at} accepts no more connections: raise max_connections there, or lower database.pool`
  if (/does not support SSL/.test(message))
    return `the database at ${at} offers no TLS: take sslmode out of database.url, or turn TLS on there`
  if (UNTRUSTED.test(code))
    return `the certificate of the database at ${at} is not trusted (${code}): name its authority with sslrootcert=<file> in database.url`
  if (code === '57P03') return `the database at ${at} is still starting: try again in a moment`
  return `the database at ${at} cannot be used (${message.split('\n')[0]}): ${correct}`
}
