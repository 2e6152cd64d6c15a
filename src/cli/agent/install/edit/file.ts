/** Files of somebody else, by their bytes: read whole, written whole, at their mode, through their links. */
import { createHash, randomUUID } from 'node:crypto'
import {
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { invalid, Refusal } from '../../../../kernel/refusal.ts'

/** The file's text with its byte order mark, or undefined when there is none. Refuses what is no UTF-8. */
export async function readIfThere(path: string): Promise<string | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw unusable(path, error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid(`${path} is not UTF-8; nothing was changed`)
  }
}

/**
 * Writes a text over the file that `before` was read from, whole or not at all: a client may read it at any
 * moment. Links stay links, and the file keeps its mode and owner. False: somebody changed it meanwhile.
 * Returns the folders that had to be made, the outermost first.
 */
export async function writeOver(
  path: string,
  before: string | undefined,
  text: string,
): Promise<false | { folders: string[] }> {
  try {
    const target = await targetOf(path)
    const folders = await makeFolder(dirname(target))
    const known = await stat(target).catch(() => undefined)
    if ((await readIfThere(target)) !== before) return false
    // A file with a second name would lose it by a rename.
    if (known && known.nlink > 1) await writeFile(target, text)
    else await swap(target, text, known)
    return { folders }
  } catch (error) {
    throw error instanceof Refusal ? error : unusable(path, error)
  }
}

async function swap(
  target: string,
  text: string,
  known: { mode: number; uid: number; gid: number } | undefined,
): Promise<void> {
  const fresh = `${target}.${randomUUID()}`
  try {
    await using file = await open(fresh, 'wx', 0o600)
    await file.writeFile(text)
    if (known) await file.chown(known.uid, known.gid).catch(() => {})
    if (known) await file.chmod(known.mode & 0o7777)
    await file.sync()
    await rename(fresh, target)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** Writes a file of our own, for its owner's eyes only. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await swap(await targetOf(path), text, undefined)
}

/** Removes a file, and not the link that leads to it. */
export const removeFile = async (path: string): Promise<void> =>
  rm(await targetOf(path), { force: true })

/** Removes those folders that are empty. Returns the others. */
export async function removeEmpty(folders: readonly string[]): Promise<string[]> {
  const left: string[] = []
  for (const folder of [...folders].toSorted((a, b) => b.length - a.length)) {
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (!isMissing(error)) left.push(folder)
    })
  }
  return left
}

/** Where a path leads in the end, also when nothing is there yet. */
async function targetOf(path: string, depth = 0): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || depth > 40) return real ?? path
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink()
  return isLink ? targetOf(resolve(dirname(path), await readlink(path)), depth + 1) : path
}

/** Makes a folder. Returns those that had to be made, the outermost first. */
export async function makeFolder(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return []
  const made: string[] = []
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) made.push(folder)
  return made.toReversed()
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const unusable = (path: string, error: unknown): Refusal =>
  invalid(
    `${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown'}); nothing was changed`,
  )
