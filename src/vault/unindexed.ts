/**
 * The files whose rows are owed: a write was acknowledged while the database was away, or a move was
 * completed after a crash. The list lies beside the files, so that any process on them can pay.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import type { Disk } from '../kernel/files.ts'
import { newFileId } from '../kernel/id.ts'
import { makeDirectories, namesAt, readOwn, removeAt, syncDirectory, writeNew } from './disk.ts'

const DIRECTORY = '.unindexed'
/** With more entries than this the list says no more than that everything is to be read again. */
const MOST = 1_000
const Paths = Type.Array(Type.String())

export interface Owed {
  /** The path of the entry. */
  entry: string
  /** The files, new ones before those that they replace; null: every file. */
  paths: string[] | null
}

/** Makes it durable that the rows of these files are owed: new files first, then those that went. */
export async function oweRows(disk: Disk, paths: readonly string[]): Promise<void> {
  const full = (await namesOf(disk)).length >= MOST
  const entry = `${DIRECTORY}/${newFileId()}`
  await makeDirectories(disk, entry, { fromTheRoot: true })
  await writeNew(disk, entry, Buffer.from(JSON.stringify(full ? null : paths)))
  await syncDirectory(disk, DIRECTORY)
}

/** What is owed, oldest first. */
export async function listOwed(disk: Disk): Promise<Owed[]> {
  const owed: Owed[] = []
  for (const name of (await namesOf(disk)).sort()) {
    const entry = `${DIRECTORY}/${name}`
    const text = await readOwn(disk, entry)
    if (text !== undefined) owed.push({ entry, paths: pathsIn(text) })
  }
  return owed
}

/** The writing of an entry may have been cut off: then nobody knows which files it meant. */
function pathsIn(text: string): string[] | null {
  try {
    const paths: unknown = JSON.parse(text)
    return Value.Check(Paths, paths) ? paths : null
  } catch {
    return null
  }
}

export const settled = (disk: Disk, { entry }: Owed): Promise<void> => removeAt(disk, entry)

/** When an entry came or went last, in milliseconds since 1970; 0: never. */
export const owedChangedAt = (disk: Disk): Promise<number> =>
  stat(join(disk.root, DIRECTORY)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

const namesOf = (disk: Disk): Promise<string[]> => namesAt(disk, DIRECTORY).catch(() => [])
