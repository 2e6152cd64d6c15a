/** Where the items lie that have no rows yet: their ids, read from the heads of their files. */
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { Disk } from '../kernel/files.ts'
import type { Db } from '../kernel/kernel.ts'
import { listRegisteredBelow } from './register.ts'
import { notRead } from './reindex.ts'
import type { FileKind } from './vault.ts'

/** The id stands in the first lines of a head. */
const HEAD_BYTES = 1_024
const ID = /^id: *["']?([0-9A-HJKMNP-TV-Z]{26})\b/m
const AT_ONCE = 16

/** The files of a kind that have no entry in the register, as their paths. */
export async function listUnregistered(db: Db, disk: Disk, fileKind: FileKind): Promise<string[]> {
  const known = new Set(await listRegisteredBelow(db, fileKind.root))
  return (await listFiles(disk, fileKind)).filter((path) => !known.has(path))
}

export async function listFiles({ root: store }: Disk, fileKind: FileKind): Promise<string[]> {
  const { root, byProject, extension } = fileKind
  const names = await list(join(store, root))
  const directories = byProject
    ? names.filter((name) => !name.startsWith('.')).map((name) => `${root}/${name}`)
    : [root]
  const files: string[] = []
  for (const directory of directories) {
    for (const name of await list(join(store, directory)).catch(nothingToRead)) {
      if (!name.startsWith('.') && name.endsWith(extension)) files.push(`${directory}/${name}`)
    }
  }
  return files
}

/** A directory that went meanwhile, and a file among the directories, hold nothing. */
const list = (path: string): Promise<string[]> =>
  readdir(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  })

/** What is in a folder that may not be read is looked for in vain, and said by the look at all files. */
function nothingToRead(error: unknown): string[] {
  if (notRead(error) === undefined) throw error
  return []
}

/** Returns the paths by the ids in the heads of these files. A hint: whoever follows it reads the file. */
export async function readIds(
  disk: Disk,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const few = pLimit(AT_ONCE)
  const ids = new Map<string, string>()
  await Promise.all(
    paths.map((path) =>
      few(async () => {
        const id = await idAt(join(disk.root, path))
        if (id !== undefined) ids.set(id, path)
      }),
    ),
  )
  return ids
}

async function idAt(path: string): Promise<string | undefined> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return ID.exec(buffer.toString('utf8', 0, bytesRead))?.[1]
  } catch {
    // What cannot be read is listed as a problem by those who index it.
    return undefined
  }
}
