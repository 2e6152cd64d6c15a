/**
 * Why an embedded database does not open, and what to do about it.
 *
 * Only a check that has proved damage leads to advice that gives anything up. A full disk, a closed
 * directory or a cause that nobody knows leaves the database where it is.
 */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What the engine may need to recover and to begin: two pieces of its log. */
const ROOM_BYTES = 32 * 1024 * 1024
const MIB = 1024 * 1024

const STAYS = 'That is no damage: leave the database where it is'
const KEEP =
  'Move nothing away and delete nothing. Stop whatever else may use the directory, keep a copy of it, and start ' +
  'again; if it fails again, put back the last backup of the whole data directory, beside what is there now'

/** By what the system or the engine said. */
const SAID: readonly [RegExp, string][] = [
  [
    /ENOSPC|EDQUOT|No space left|quota exceeded/i,
    `its disk is full: make room and start again. ${STAYS}`,
  ],
  [
    /EACCES|EPERM|Permission denied|Operation not permitted/i,
    `this user may not read and write all of its files: give them to the user that the service runs as. ${STAYS}`,
  ],
  [/EROFS|Read-only file system/i, `its disk is read-only: mount it for writing. ${STAYS}`],
  [
    /EMFILE|ENFILE|Too many open files|No file descriptors/i,
    `too few files may be open: raise the limit (ulimit -n) and start again. ${STAYS}`,
  ],
  [
    /EIO\b|Input\/output error|I\/O error/i,
    'its disk fails: see the log of the system, and copy the data directory to another disk while it can be read',
  ],
  [
    /ENOMEM|out of memory|Cannot allocate memory|could not allocate/i,
    `there is too little memory: give the service more, and start again. ${STAYS}`,
  ],
  [
    /it was made by PostgreSQL \d+/,
    'it was made by another release of PostgreSQL: start the version of Loam that ran on it last, save the store with ' +
      '"loam export", and bring that into a new data directory with "loam import"',
  ],
  [
    /configuration file .* contains errors/,
    `its configuration file has an error, which the log names: take back what was changed in it. ${STAYS}`,
  ],
]

/** What the engine says of files that are missing, cut or changed. */
const DAMAGED =
  /could not locate a valid checkpoint|checksum in control file|control file contains|It looks like you need to initdb|could not read file|Could not open file|could not open file .*No such file|required WAL directory|subdirectory .* is missing|could not access status|invalid page|made by PostgreSQL (?!\d)|unexpected data beyond EOF|ENOENT/i

/** Of damage, once it is proved. What it costs is said before it is advised. */
const damaged = (cluster: string, notInFiles: string): string =>
  'it is damaged: files of it are missing or changed. The knowledge files are not touched. Stop here, and put back the ' +
  'last backup of the whole data directory, beside what is there now. Without a backup, move ' +
  `${cluster} aside and keep it: the next start then builds a new database from the files, without ${notInFiles}, ` +
  'which no file holds'

interface Asked {
  cluster: string
  /** The error and the last words of the engine. */
  said: string
  /** What a database built from files lacks. */
  notInFiles: string
}

/** In one piece for the person who starts the service. */
export async function openProblem({ cluster, said, notInFiles }: Asked): Promise<string> {
  const known = SAID.find(([words]) => words.test(said))
  if (known) return known[1]
  const free = await freeBytes(dirname(cluster))
  if (free < ROOM_BYTES)
    return `its disk is nearly full (${Math.floor(free / MIB)} MiB are free): make room and start again. ${STAYS}`
  return DAMAGED.test(said)
    ? damaged(cluster, notInFiles)
    : `it does not open, and the log has its last words. ${KEEP}`
}

/** On the disk of a directory, for this user. What cannot be looked at is no reason for an advice. */
export async function freeBytes(dir: string): Promise<number> {
  try {
    const { bavail, bsize, ffree, files } = await statfs(dir)
    return files > 0 && ffree === 0 ? 0 : bavail * bsize
  } catch {
    return Infinity
  }
}
