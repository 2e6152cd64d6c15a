/** The files of one write, as its decision sees them under their locks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Disk, FileBytes, Files } from '../kernel/files.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { readAt } from './disk.ts'
import { contentHash } from './paths.ts'
import type { Staging } from './staging.ts'

/** On a network file system an old state may be served this long after another machine's write. */
const STALE_MS = 1_000

/** The last time that a file can hold: a year has four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

export function filesUnderLock(kernel: Kernel, disk: Disk, staging: Staging, now: Date): Files {
  const looks = new Map<string, Promise<unknown>>()
  return {
    nextTime: (previous) =>
      previous && previous >= now ? new Date(Math.min(previous.getTime() + 1, LAST_MS)) : now,
    async read(path) {
      const file = await readFresh(kernel.db, disk, path)
      staging.saw(path, { stamp: file?.stamp, hash: file?.hash })
      return file
    },
    put: (path, bytes) => staging.put(path, bytes),
    remove: (path) => staging.remove(path),
    once<T>(key: string, look: () => Promise<T>) {
      const before = looks.get(key) as Promise<T> | undefined
      const found = before ?? look()
      looks.set(key, found)
      return found
    },
  }
}

type Fresh = FileBytes & { stamp: NonNullable<Awaited<ReturnType<typeof readAt>>>['stamp'] }

/**
 * The file as it is, not as a network file system remembers it: bytes that do not hash to what was
 * registered are read again for a second before they are taken for an external edit.
 */
async function readFresh(db: Db, disk: Disk, path: string): Promise<Fresh | undefined> {
  const deadline = performance.now() + STALE_MS
  for (;;) {
    const file = await readAt(disk, path)
    const hash = file && contentHash(file.bytes)
    if (!disk.shared || hash === (await registeredHash(db, path)) || performance.now() > deadline) {
      return file && { path, ...file, hash: hash ?? '' }
    }
    await sleep(50)
  }
}

async function registeredHash(db: Db, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('files')
    .select('content_hash')
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.content_hash
}
