/**
 * A change of several files, written down before the first of them is touched.
 *
 * A file system renames one file at a time. A move is two steps (the new file in, the old one out),
 * and a crash between them would leave one item twice. The intent is durable before the first step
 * and removed after the commit; the process that finds one carries it out, file by file, except for
 * files that have been changed meanwhile.
 */
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Disk } from '../kernel/files.ts'
import { newFileId } from '../kernel/id.ts'
import {
  makeDirectories,
  moveInto,
  namesAt,
  readAt,
  readOwn,
  removeAt,
  sweepAt,
  syncDirectory,
  syncIfThere,
  writeNew,
} from './disk.ts'
import { contentHash, lockKey } from './paths.ts'

const DIRECTORY = '.intents'
/** The name of a temp file holds a lock's key: the holder of that lock is alone with it. */
const TEMP = /^[^.]+\.(-?\d+)\.json\.tmp$/

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
  const [first] = pathsOf(intent)
  const path = `${DIRECTORY}/${newFileId()}.${lockKey(first ?? '')}.json`
  await makeDirectories(disk, path, { fromTheRoot: true })
  try {
    // Renamed into its name: a torn intent never has one.
    await writeNew(disk, `${path}.tmp`, Buffer.from(JSON.stringify(intent)))
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

/** Every path that the intent touches. A writer holds the locks of all of them. */
export const pathsOf = ({ puts, removes }: Intent): string[] =>
  [...puts, ...removes].map((step) => step.path)

/** The intents that nobody has finished. */
export async function listIntents(disk: Disk): Promise<string[]> {
  return (await namesOf(disk))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `${DIRECTORY}/${name}`)
}

/** Intents whose writing a crash interrupted, with the lock of their writer. */
export async function listIntentTemps(disk: Disk): Promise<{ path: string; key: string }[]> {
  return (await namesOf(disk)).flatMap((name) => {
    const [, key] = TEMP.exec(name) ?? []
    return key === undefined ? [] : [{ path: `${DIRECTORY}/${name}`, key }]
  })
}

const namesOf = (disk: Disk): Promise<string[]> => namesAt(disk, DIRECTORY).catch(() => [])

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

/**
 * Carries an intent out, under the locks of all its paths. A file that changed since is left alone.
 * Nothing is removed unless every new file is in place: an old one may be all there is of an item.
 */
export async function completeIntent(disk: Disk, path: string): Promise<void> {
  const intent = await readIntent(disk, path)
  if (!intent) return
  let complete = true
  for (const put of intent.puts) complete = (await land(disk, put)) && complete
  for (const { path, base } of complete ? intent.removes : []) {
    if ((await hashAt(disk, path)) === base) await removeAt(disk, path)
  }
  const touched = pathsOf(intent).map((path) => path.slice(0, path.lastIndexOf('/')))
  for (const directory of new Set(touched)) await syncIfThere(disk, directory)
  await dropIntent(disk, path)
}

/** Moves one new file into place unless it is there already; false when it no longer can. */
async function land(disk: Disk, put: Intent['puts'][number]): Promise<boolean> {
  const found = await hashAt(disk, put.path)
  if (found === put.hash) {
    await sweepAt(disk, put.temp)
    return true
  }
  const temp = await readAt(disk, put.temp)
  if (found === put.base && temp && contentHash(temp.bytes) === put.hash) {
    await moveInto(disk, put.temp, put.path)
    return true
  }
  await sweepAt(disk, put.temp)
  return false
}

const hashAt = async (disk: Disk, path: string): Promise<string | null> => {
  const file = await readAt(disk, path)
  return file ? contentHash(file.bytes) : null
}
