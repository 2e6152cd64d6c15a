/**
 * A file or folder held by its identity.
 *
 * A name may lead to something else at any time: a folder is moved away, and a copy takes its place. What
 * goes through `root` reaches the held folder whatever its name leads to by now. Not every system has such
 * paths; there `root` is the name, and only the look tells of a change.
 */
import { closeSync, constants, fstatSync, openSync, statfsSync, statSync } from 'node:fs'
import type { BigIntOptions, BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Where the name of what is held leads: to it, to nothing, or to something else. */
export type Leads = 'here' | 'nowhere' | 'elsewhere'

export interface Held {
  /** The name by which others find it, for people and for the look. */
  readonly name: string
  /** A path to it, whatever its name leads to. */
  readonly root: string
  /** Distinguishes it from everything else that is there at the same time. */
  readonly identity: string
  /** Whether it lies on a network file system, where a look may take long and another machine may write. */
  readonly shared: boolean
  /** Never rejects. On a network file system it holds up nothing else. */
  leads(): Promise<Leads>
  /** The same at once. Some microseconds on a local disk. */
  leadsNow(): Leads
  close(): void
}

const EXACT = { bigint: true } as const satisfies BigIntOptions

/** By the numbers that `statfs` gives: NFS, CIFS, SMB 2, SMB, FUSE, 9p. */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x65735546, 0x01021997,
])

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/** Holds what is there. `at` is another way to it than its name. Throws what the file system throws. */
export function hold(name: string, at = name): Held {
  // While it is open, its number is given to nothing else.
  const descriptor = openSync(at, constants.O_RDONLY)
  const identity = identityOf(fstatSync(descriptor, EXACT))
  const through = `/proc/self/fd/${descriptor}`
  const root = leadsThere(through, identity) ? through : at
  const shared = NETWORK_FILE_SYSTEMS.has(statfsSync(root).type)
  let closed = false
  const judge = (found: BigIntStats): Leads => {
    if (closed) return 'here'
    if (identityOf(found) !== identity) return 'elsewhere'
    // A mount keeps leading to a folder that was removed where it comes from. Nothing can be made in it.
    return fstatSync(descriptor).nlink === 0 ? 'nowhere' : 'here'
  }
  const leadsNow = (): Leads => {
    try {
      return judge(statSync(name, EXACT))
    } catch (error) {
      return withoutLook(error)
    }
  }
  return {
    ...{ name, root, identity, shared },
    // The way to another thread and back takes longer than the look on a local disk.
    leads: async () => (shared ? stat(name, EXACT).then(judge).catch(withoutLook) : leadsNow()),
    leadsNow,
    close() {
      if (!closed) closeSync(descriptor)
      closed = true
    },
  }
}

/** Whether the system has paths that lead through a descriptor. */
function leadsThere(through: string, identity: string): boolean {
  try {
    return identityOf(statSync(`${through}/.`, EXACT)) === identity
  } catch {
    return false
  }
}

/** A disk that fails or a folder that is closed hides where the name leads: that is no sign of a change. */
function withoutLook(error: unknown): Leads {
  const { code = '' } = error as NodeJS.ErrnoException
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code) ? 'nowhere' : 'here'
}
