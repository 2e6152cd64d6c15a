/**
 * Embedded engines in memory that are used again and again: one costs a second of processor time to
 * open and a few milliseconds to empty. They end with the process.
 */
import { pino } from 'pino'
import { openDatabase, type Database } from '../../src/postgres/database.ts'
import { openEmbedded, type Embedded } from '../../src/postgres/embedded/embedded.ts'
import { emptyTables } from './empty-tables.ts'
import { dropMonths, schemaOf } from './schema.ts'

interface Engine {
  embedded: Embedded
  /** A way to it that stays open between callers. */
  database: Database
  /** The schema as the migrations left it. */
  schema: string
}

/**
 * So many wait for the next caller; each holds 100 MB and more. Outside of vitest none does, because a
 * waiting engine would keep its process from ending.
 */
const MOST = process.env['VITEST'] ? 3 : 0
/** One in memory does not come back when it is ended, so only a statement that hangs ends it, not a busy machine. */
const statementLimitMs = 60_000
const idle: Engine[] = []
const log = pino({ level: 'silent' })

/** An engine with a migrated and empty database, for the caller alone. To close it is to give it back. */
export async function borrowEngine(snapshot: string): Promise<Embedded> {
  const engine = idle.pop() ?? (await openEngine(snapshot))
  let closed: Promise<void> | undefined
  return { ...engine.embedded, close: () => (closed ??= giveBack(engine)) }
}

async function openEngine(snapshot: string): Promise<Engine> {
  const embedded = await openEmbedded({ cluster: null, snapshot, log, statementLimitMs })
  const database = await openDatabase({ dir: '', log, memory: true, engine: embedded, pool: 1 })
  return { embedded, database, schema: await schemaOf(database.db) }
}

/** What a test has broken, or a schema that it has changed, is not handed to the next one. */
async function giveBack(engine: Engine): Promise<void> {
  const usable = idle.length < MOST && (await restore(engine).catch(() => false))
  if (usable && idle.length < MOST) idle.push(engine)
  else await engine.database.close()
}

async function restore({ database: { db }, schema }: Engine): Promise<boolean> {
  if ((await schemaOf(db)) !== schema) return false
  await dropMonths(db)
  await emptyTables(db)
  return true
}
