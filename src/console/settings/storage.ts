/** The database and the disk: where they are, how large, and how they are. */
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { once } from '../../kernel/once.ts'
import { asRefusal } from '../../kernel/trouble.ts'
import { fileSystemOf } from '../../vault/file-system.ts'
import { editCommand } from '../first-run.ts'
import type { ScreenApp } from '../screen.ts'
import { placeOf } from './configuration.ts'
import type { Kept } from './kept.ts'
import { findDatabase, findLog, findUnreadable } from './queries.ts'

const MIB = 1024 * 1024
/** Below this much room the owner is told. */
const SHORT_BYTES = 256 * MIB
/** A disk that does not answer does not keep the page. */
const PATIENCE_MS = 1_000

/** How large the database is; it asks the file system for every table. */
export async function measureDatabase({ kernel: { db }, owner }: ScreenApp) {
  const [row] = await findDatabase(db, owner, {})
  const [log] = row!.sees_log ? await findLog(db, owner, {}) : []
  return { ...row!, log: log?.bytes ?? null }
}

type Measured = Awaited<ReturnType<typeof measureDatabase>>

export function storageOf(
  app: ScreenApp,
  most: { files: number },
  measured: () => Promise<Kept<Measured>>,
) {
  const { kernel, service } = app
  const { config } = kernel
  const isEmbedded = service.database() === 'embedded'
  const database = once(async () => {
    const { name, bytes, log, schema, version } = (await measured()).value
    const whole = bytes + (log ?? 0)
    return {
      kind: service.database(),
      name: isEmbedded ? 'embedded' : name,
      path: isEmbedded ? join(config.data_dir, 'db') : placeOf(config.database.url),
      size_bytes: bytes,
      /** Left out: this role may not look at it. */
      ...(log !== null && { wal_bytes: log }),
      size_human: sizeOf(whole),
      data_human: sizeOf(bytes),
      ...(log !== null && { wal_human: sizeOf(log) }),
      schema_version: schema,
      version,
    }
  })
  return {
    database,
    files: once(() => filesOf(app, most.files)),
    disk: once(() => diskOf(config.data_dir)),
  }
}

async function filesOf({ kernel, service }: ScreenApp, most: number) {
  const { behind, read, files } = service.progress()
  const [{ problems, count }, storage] = await Promise.all([
    findUnreadable(kernel.db, most),
    troubleOf(service.storage()),
  ])
  return {
    ...{ behind, read, total: files },
    ...(storage !== null && { storage }),
    unreadable: count,
    problems: problems.map(({ path, problem }) => ({
      ...{ path, problem },
      command: editCommand(join(kernel.config.data_dir, path)),
    })),
  }
}

/** What keeps writes from being kept, in words; null: nothing. */
const troubleOf = (storage: Promise<void>): Promise<string | null> =>
  Promise.race([
    storage.then(
      () => null,
      (error: unknown) =>
        asRefusal(error)?.message ?? 'the files cannot be written to: see the log',
    ),
    patience('the disk of the data directory does not answer'),
  ])

async function diskOf(dir: string) {
  const look = async () => {
    const [{ bavail, bsize }, { name, advice }] = await Promise.all([
      statfs(dir),
      fileSystemOf(dir),
    ])
    const free = bavail * bsize
    return {
      path: dir,
      free_bytes: free,
      free_human: sizeOf(free),
      short: free < SHORT_BYTES,
      file_system: name,
      ...(advice && { advice }),
    }
  }
  return Promise.race([look().catch(() => null), patience(null)])
}

function patience<Value>(value: Value): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>()
  setTimeout(resolve, PATIENCE_MS, value).unref()
  return promise
}

/** `482 MB`, `1.3 GB`: by thousands, as disks are sold. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [size, unit] = [bytes, 0]
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1]
  const digits = unit === 0 || size >= 99.5 ? 0 : 1
  return `${size.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`
}
