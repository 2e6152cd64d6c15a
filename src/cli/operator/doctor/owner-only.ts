import { lstat } from 'node:fs/promises'
import { type Check, warn } from './check.ts'

/** Warns about what others may read, with the line that changes it. */
export async function* ownerOnly(about: string, path: string, mode: number): AsyncGenerator<Check> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) {
    yield warn(about, `${path} is a symbolic link; name the place it leads to`)
  } else if ((found.mode & 0o077) !== 0) {
    yield warn(about, `${path} is open to other users: chmod ${mode.toString(8)} ${path}`)
  }
}
