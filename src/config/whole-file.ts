/** Small files of the owner alone that appear whole or not at all, so that nobody ever reads half of one. */
import { randomUUID } from 'node:crypto'
import { link, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What is older was left by a process that was killed; what is younger may be another one's, in the middle of it. */
const LEFT_MS = 60_000

/** Puts the text in the place of whatever file stands there. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = await writeBeside(path, text)
  await rename(fresh, path).catch(async (error: unknown) => {
    await unlink(fresh).catch(() => {})
    throw error
  })
}

/** Makes a file where none stands. Returns whether it did. */
export async function makeFile(path: string, text: string): Promise<boolean> {
  const fresh = await writeBeside(path, text)
  try {
    await link(fresh, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await unlink(fresh)
  }
}

/** Removes what writers that were killed left beside the file. */
export async function sweepBeside(path: string): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((each) => isBeside(each, basename(path)))) {
    const { mtimeMs = Infinity } = (await stat(join(folder, name)).catch(() => undefined)) ?? {}
    if (Date.now() - mtimeMs > LEFT_MS) await unlink(join(folder, name)).catch(() => {})
  }
}

const isBeside = (name: string, base: string): boolean =>
  name.startsWith(`${base}.`) &&
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name.slice(base.length + 1))

/** Returns the path of a new file beside the other. Nothing of it stays when it cannot be written whole. */
async function writeBeside(path: string, text: string): Promise<string> {
  await sweepBeside(path)
  const fresh = `${path}.${randomUUID()}`
  try {
    await using file = await open(fresh, 'wx', 0o600)
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await unlink(fresh).catch(() => {})
    throw error
  }
  return fresh
}
