/**
 * A change of several files, written down before the first of them is touched.
 *
 * A file system renames one file at a time. A move is two steps (the new file in, the old one out),
 * and a crash between them would leave one item twice. The intent is durable before the first step
 * and removed after the commit; whoever finds one carries it out, file by file, unless the file has
 * been changed by somebody else meanwhile.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { newId } from '../id.ts'
import {
  moveInto,
  readAt,
  readOwn,
  removeAt,
  sweepAt,
  syncDirectory,
  syncFile,
  writeNew,
  type Disk,
} from './disk.ts'
import { contentHash } from './paths.ts'

const DIRECTORY = '.intents'

const Base = Type.Union([Type.String(), Type.Null()])
const Intent = Type.Object({
  puts: Type.Array(
    Type.Object({ path: Type.String(), temp: Type.String(), hash: Type.String(), base: Base }),
  ),
  removes: Type.Array(Type.Object({ path: Type.String(), base: Base })),
})
export type Intent = Static<typeof Intent>

/** Makes the intent durable; returns its path. */
export async function writeIntent(disk: Disk, intent: Intent): Promise<string> {
  await mkdir(join(disk.root, DIRECTORY), { recursive: true, mode: 0o700 })
  const path = `${DIRECTORY}/${newId(new Date())}.json`
  try {
    // Renamed into its name: a torn intent never bears one.
    await writeNew(disk, `${path}.tmp`, Buffer.from(JSON.stringify(intent)))
    await syncFile(disk, `${path}.tmp`)
    await moveInto(disk, `${path}.tmp`, path)
    await syncDirectory(disk, DIRECTORY)
    await syncDirectory(disk, '.')
    return path
  } catch (error) {
    await sweepAt(disk, `${path}.tmp`)
    await sweepAt(disk, path)
    throw error
  }
}

export async function dropIntent(disk: Disk, path: string): Promise<void> {
  await removeAt(disk, path)
}

/** The intents that nobody has finished. */
export async function listIntents(disk: Disk): Promise<string[]> {
  const names = await readdir(join(disk.root, DIRECTORY)).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `${DIRECTORY}/${name}`)
}

/** The intent, or undefined when it was finished meanwhile or is not one. */
export async function readIntent(disk: Disk, path: string): Promise<Intent | undefined> {
  const text = await readOwn(disk, path)
  if (text === undefined) return undefined
  try {
    const intent: unknown = JSON.parse(text)
    return Value.Check(Intent, intent) ? intent : undefined
  } catch {
    return undefined
  }
}

/** Carries an intent out, under the locks of all its paths. A file that changed since is left alone. */
export async function completeIntent(disk: Disk, path: string): Promise<void> {
  const intent = await readIntent(disk, path)
  if (!intent) return
  for (const put of intent.puts) {
    const temp = await readAt(disk, put.temp)
    const unchanged = (await hashAt(disk, put.path)) === put.base
    if (temp && unchanged && contentHash(temp.bytes) === put.hash) {
      await moveInto(disk, put.temp, put.path)
    } else await sweepAt(disk, put.temp)
  }
  for (const { path, base } of intent.removes) {
    if ((await hashAt(disk, path)) === base) await removeAt(disk, path)
  }
  const touched = [...intent.puts, ...intent.removes].map(({ path }) =>
    path.slice(0, path.lastIndexOf('/')),
  )
  for (const directory of new Set(touched)) await syncDirectory(disk, directory).catch(() => {})
  await dropIntent(disk, path)
}

const hashAt = async (disk: Disk, path: string): Promise<string | null> => {
  const file = await readAt(disk, path)
  return file ? contentHash(file.bytes) : null
}
