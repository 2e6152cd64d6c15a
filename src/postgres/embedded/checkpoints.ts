/**
 * Checkpoints for the embedded database, which has no checkpointer. Without them its log grows for as long as it
 * runs, and so does the time in which it opens after a kill.
 *
 * The log is a row of pieces. A checkpoint gives back those before it, which are written again under later names. A
 * piece that is not there when the last one is full takes room, and where there is none the engine gives up, so some
 * are there ahead: a full disk then stops neither reads nor the log.
 */
import { setInterval } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../../kernel/kernel.ts'
import type { Embedded } from './embedded.ts'

const LOOK_INTERVAL_MS = 5_000
const MIB = 1024 * 1024
const PIECE_BYTES = 16 * MIB
/** With the one that is written, as many as the engine keeps (`min_wal_size`). */
const MOST_AHEAD = 4
const FEWEST_AHEAD = 2
/** What pieces that are made ahead leave free on the disk. */
const SPARED_BYTES = 64 * MIB
/** What is written in so many seconds is not read again after a kill, unless it is little. */
const OLDEST_S = 300
const LITTLE_BYTES = MIB

interface Log {
  /** Bytes since the last checkpoint began, and seconds. */
  behind: number
  age: number
  /** Pieces that are full. */
  full: number
  /** Pieces that are there for what is written later. */
  ahead: number
}

const currentLog = sql<Log>`
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as behind,
    extract(epoch from clock_timestamp() - checkpoint_time)::float8 as age,
    (count(*) filter (where name < current))::int as full,
    (count(*) filter (where name > current))::int as ahead
  from pg_control_checkpoint(), pg_walfile_name(pg_current_wal_lsn()) as current, pg_ls_waldir()
  where name ~ '^[0-9A-F]{24}$'
  group by redo_lsn, checkpoint_time`

type Engine = Pick<Embedded, 'room' | 'unhurried'>

/** Looks after the log for as long as the database is open. */
export function keepLog(db: Db, embedded: Engine, logger: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const keep = async (): Promise<void> => {
    const looks = setInterval(LOOK_INTERVAL_MS, null, { ref: false, signal: stopping.signal })
    for await (const _ of looks) {
      await tendLog(db, embedded).catch((err: unknown) =>
        logger.warn({ err }, 'the log of the embedded database was not looked after'),
      )
    }
  }
  const keeping = keep().catch(() => {})
  return {
    async stop() {
      stopping.abort()
      await keeping
    },
  }
}

/** Makes a checkpoint when one is due, and pieces ahead when there are few and the disk has room. */
export async function tendLog(db: Db, embedded: Engine): Promise<void> {
  let log = await lookAt(db)
  if (isDue(log)) {
    await checkpoint(db, embedded)
    log = await lookAt(db)
  }
  const missing = MOST_AHEAD - log.ahead
  if (log.ahead >= FEWEST_AHEAD) return
  if ((await embedded.room()) < missing * PIECE_BYTES + SPARED_BYTES) return
  for (let made = 0; made < missing; made++) {
    await sql`select pg_switch_wal()`.execute(db)
    // The next piece is made by what is written into it.
    await sql`select pg_logical_emit_message(false, 'loam', '')`.execute(db)
  }
  await checkpoint(db, embedded)
}

const isDue = ({ behind, age, full, ahead }: Log): boolean =>
  (ahead < FEWEST_AHEAD && full > 0) || (age >= OLDEST_S && behind >= LITTLE_BYTES)

async function lookAt(db: Db): Promise<Log> {
  const { rows } = await currentLog.execute(db)
  return rows[0]!
}

const checkpoint = (db: Db, { unhurried }: Engine): Promise<unknown> =>
  unhurried(() => sql`checkpoint`.execute(db))
