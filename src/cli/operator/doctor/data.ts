import { access, constants, stat, statfs } from 'node:fs/promises'
import { type Check, fail, info, ok, warn } from './check.ts'
import { fileSystemOf } from '../../../vault/file-system.ts'
import { ownerOnly } from './owner-only.ts'

/** Whether the data directory is there, is nobody else's business, and can be written. */
export async function* checkData(dir: string): AsyncGenerator<Check, boolean> {
  const found = await stat(dir).catch(() => undefined)
  if (!found) {
    yield info('data', `${dir} does not exist yet; the first "loam serve" makes it`)
    return false
  }
  if (!found.isDirectory()) {
    yield fail('data', `${dir} is not a directory`)
    return false
  }
  const writable = await access(dir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (writable) yield ok('data', dir)
  else yield fail('data', `${dir} cannot be read and written by this user`)
  yield* ownerOnly('data', dir, 0o700)
  yield* checkRoom(dir)
  const { name, advice } = await fileSystemOf(dir)
  yield advice ? warn('disk', `${name}: ${advice}`) : ok('disk', name)
  return true
}

const MIB = 1024 * 1024
/** Below this the database may not even start. */
const FULL_MIB = 32
const SHORT_MIB = 256

/** Whether there is room. A full disk damages nothing, so nothing needs to be moved or repaired. */
async function* checkRoom(dir: string): AsyncGenerator<Check> {
  const { bavail, bsize } = await statfs(dir)
  const mib = Math.floor((bavail * bsize) / MIB)
  if (mib >= SHORT_MIB) return
  const text = `${mib} MiB are free: make room. What is kept is not damaged by that; leave it where it is`
  yield mib < FULL_MIB ? fail('disk', text) : warn('disk', text)
}
