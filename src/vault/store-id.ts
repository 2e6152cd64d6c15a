/**
 * The store's identity: the data directory and the database hold the same id.
 *
 * A late mount or a wrong `data_dir` looks exactly like "every file is gone". Without a match
 * nothing serves, writes or reconciles.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Disk } from '../kernel/files.ts'
import { newId } from '../kernel/id.ts'
import type { Db } from '../kernel/kernel.ts'
import { unavailable } from '../kernel/refusal.ts'
import { STORE_MARK } from '../kernel/store-mark.ts'
import { linkNew, readOwn, sweepAt, sweepOwn, syncDirectory, writeNew } from './disk.ts'

const MARK = STORE_MARK

/**
 * Refuses a database that does not hold the id of the directory, before a schema is made in it. For those
 * who open a store that stands, and make none.
 */
export async function assertAdopted(db: Db, directory: string): Promise<void> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('public.store') is not null as there`.execute(db)
  const inDatabase = rows[0]?.there ? await databaseId(db) : undefined
  const inDirectory = (await readFile(join(directory, MARK), 'utf8')).trim()
  if (inDatabase === inDirectory) return
  throw unavailable(
    `the database is not that of the store ${directory}: it is ` +
      (inDatabase === undefined ? 'of no store' : `of store ${inDatabase}`) +
      '. Check database.url; a new database is taken up by "loam serve" alone',
  )
}

/** The id in the directory, or undefined when the directory belongs to no store yet. */
export async function directoryId(disk: Disk): Promise<string | undefined> {
  const text = await readOwn(disk, MARK)
  return text === undefined ? undefined : text.trim()
}

/** Whether the database has nothing of a store yet whose directory already holds knowledge. */
export async function beginsAnew(
  db: Db,
  disk: Disk,
  folders: readonly { root: string; extension: string }[],
): Promise<boolean> {
  if ((await databaseId(db)) !== undefined || (await directoryId(disk)) === undefined) return false
  for (const { root, extension } of folders) {
    const names = await readdir(join(disk.root, root), { recursive: true }).catch(() => [])
    if (names.some((name) => name.endsWith(extension))) return true
  }
  return false
}

/**
 * Brings directory and database together; returns their common id.
 *
 * A new database adopts a directory. A new directory never replaces one: that is refused.
 */
export async function adoptStore(db: Db, disk: Disk, now: Date): Promise<string> {
  // The database is marked after its directory, so it is looked at first.
  const inDatabase = await databaseId(db)
  const inDirectory = await directoryId(disk)
  if (inDirectory !== undefined) await sweepOwn(disk, `${MARK}.`)
  if (inDatabase !== undefined && inDirectory === inDatabase) return inDatabase
  if (inDatabase !== undefined) {
    throw unavailable(
      inDirectory === undefined
        ? `the database belongs to a data directory that this one is not (no ${MARK} in it): ` +
            'check data_dir and that its disk is mounted'
        : `the data directory is of store ${inDirectory} and the database of store ${inDatabase}: ` +
            'check data_dir and database.url',
    )
  }
  // The directory first: a start that is killed in between finds it and goes on.
  const id = inDirectory ?? (await markDirectory(disk, newId(now)))
  await db
    .insertInto('store')
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const adopted = await databaseId(db)
  if (adopted !== id) {
    throw unavailable(`the database was taken by store ${adopted} meanwhile: check database.url`)
  }
  return id
}

async function databaseId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('store').select('id').executeTakeFirst()
  return row?.id
}

async function markDirectory(disk: Disk, id: string): Promise<string> {
  const temp = `${MARK}.${id}`
  try {
    await writeNew(disk, temp, Buffer.from(`${id}\n`))
    // Of two processes that start at once the first one wins, and both read the mark back.
    await linkNew(disk, temp, MARK)
    await syncDirectory(disk, '.')
  } catch (error) {
    // When another process has made the mark, the attempt of this one does not matter.
    if (((await directoryId(disk)) ?? id) === id) throw error
  } finally {
    await sweepAt(disk, temp)
  }
  return (await directoryId(disk)) ?? id
}
