/** The register of files: every knowledge file as it was seen last. Only the vault writes it. */
import { sql, type NotNull } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { inTurns } from '../kernel/together.ts'
import type { Stamp } from './disk.ts'

export interface Registration {
  path: string
  hash: string
  stamp: Stamp
  /** Why the file is not indexed. */
  problem?: string | null
}

export interface Registered extends Stamp {
  path: string
  content_hash: string
  problem: string | null
  /** Its bytes were last looked at more than a day ago. */
  overdue: boolean
}

const REGISTERED = ['path', 'content_hash', 'size', 'mtime_ns', 'inode', 'problem'] as const
const OVERDUE = sql<boolean>`hashed_at < loam_now() - interval '1 day'`.as('overdue')

export const registerFile = (db: Db, file: Registration): Promise<void> => registerFiles(db, [file])

/** Registers several files with one statement. */
export async function registerFiles(db: Db, files: readonly Registration[]): Promise<void> {
  const rows = files.map(({ path, hash, stamp, problem = null }) => ({
    ...{ path, content_hash: hash, ...stamp, problem },
    hashed_at: sql<Date>`loam_now()`,
  }))
  await db
    .insertInto('files')
    .values(rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.column('path').doUpdateSet((set) => ({
        content_hash: set.ref('excluded.content_hash'),
        size: set.ref('excluded.size'),
        mtime_ns: set.ref('excluded.mtime_ns'),
        inode: set.ref('excluded.inode'),
        problem: set.ref('excluded.problem'),
        hashed_at: set.ref('excluded.hashed_at'),
      })),
    )
    .execute()
}

export const forgetFile = (db: Db, path: string): Promise<void> => forgetFiles(db, [path])

export async function forgetFiles(db: Db, paths: readonly string[]): Promise<void> {
  await db
    .deleteFrom('files')
    .where('path', 'in', [...paths])
    .execute()
}

const COLUMNS = sql.raw(REGISTERED.join(', '))

export const findRegistered: (db: Db, path: string) => Promise<Registered | undefined> = inTurns(
  async (db, paths: readonly string[]) => {
    // Each by its key: for several at once a plan may read the whole register while it is small.
    const { rows } = await sql<Registered>`
      select f.* from unnest(${[...paths]}::text[]) as a (path) cross join lateral (
        select ${COLUMNS}, ${OVERDUE} from files where files.path = a.path limit 1
      ) f`.execute(db)
    const byPath = new Map(rows.map((row) => [row.path, row]))
    return paths.map((path) => byPath.get(path))
  },
)

/** Every registered file of one directory, not of the directories below it. */
export function listRegistered(db: Db, directory: string): Promise<Registered[]> {
  const prefix = `${directory}/`
  return db
    .selectFrom('files')
    .select(REGISTERED)
    .select(OVERDUE)
    .where('path', '>', prefix)
    .where('path', '<', `${directory}0`) // in the C collation 0 follows /
    .where(sql<boolean>`strpos(substr(path, char_length(${prefix}) + 1), '/') = 0`)
    .orderBy('path')
    .execute()
}

/** Every registered path below a file kind root, for what no longer has even a directory. */
export async function listRegisteredBelow(db: Db, root: string): Promise<string[]> {
  const rows = await below(db, root).select('path').orderBy('path').execute()
  return rows.map((row) => row.path)
}

/** The files that could not be understood, for doctor and Settings. */
export function listProblems(db: Db): Promise<{ path: string; problem: string }[]> {
  return db
    .selectFrom('files')
    .select(['path', 'problem'])
    .where('problem', 'is not', null)
    .$narrowType<{ problem: NotNull }>()
    .orderBy('path')
    .limit(1_000)
    .execute()
}

/** Which of the paths are registered. */
export async function amongRegistered(db: Db, paths: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ path: string }>`
    select path from files where path = any(${[...paths]}::text[])`.execute(db)
  return new Set(rows.map(({ path }) => path))
}

export async function countRegistered(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('files')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Some of the registered paths below a file kind's root, from everywhere in it. */
export async function sampleBelow(db: Db, root: string, most: number): Promise<string[]> {
  const rows = await below(db, root)
    .select('path')
    .orderBy(sql`hashtextextended(path, 0)`)
    .limit(most)
    .execute()
  return rows.map(({ path }) => path)
}

const below = (db: Db, root: string) =>
  db.selectFrom('files').where('path', '>', `${root}/`).where('path', '<', `${root}0`)
