/**
 * The clock of a demo store while it is filled: it stands still, and goes on when it is told to, from six
 * weeks ago to now. Nothing else in the program can move `loam_now()`, and this only on a database in which
 * nothing is yet.
 */
import { sql } from 'kysely'
import type { Clock } from '../../kernel/clock.ts'
import { conflict } from '../../kernel/refusal.ts'
import type { Db } from '../../kernel/kernel.ts'
import type { SinceBoot } from '../../postgres/since-boot.ts'

export interface DemoClock extends Clock {
  /** What the keeper of steady time looks at: it stands still as well. */
  machine: SinceBoot
  /** Goes on to that time; never back. */
  goTo(time: Date): Promise<void>
}

/** Takes the clock of an empty, migrated database. Refuses any other. */
export async function takeClock(db: Db, start: Date): Promise<DemoClock> {
  await assertEmpty(db)
  await setWall(db, sql`select ${sql.lit(start.toISOString())}::timestamptz`)
  let now = start
  return {
    now: () => now,
    machine: { boot: null, upMs: () => 0 },
    async goTo(time) {
      if (time <= now) return
      now = time
      await shift(db, time.getTime() - start.getTime())
    },
  }
}

/** Gives a database its own clock back. A keeper of steady time that looked on would take it for a step. */
export async function releaseClock(db: Db): Promise<void> {
  await setWall(db, sql`select clock_timestamp()`)
  await shift(db, 0)
}

const HOLDS_SOMETHING = sql<{ used: boolean }>`
  select exists (select from events) or exists (select from sessions) or exists (select from projects)
    or exists (select from notes) or exists (select from memories) or exists (select from tasks)
    or exists (select from files) as used`

async function assertEmpty(db: Db): Promise<void> {
  const { rows } = await HOLDS_SOMETHING.execute(db)
  if (rows[0]?.used === false) return
  throw conflict('the database holds something already: only an empty one becomes a demo')
}

const shift = (db: Db, byMs: number) =>
  sql`update clock set shift = ${byMs} * interval '1 millisecond'`.execute(db)

const setWall = (db: Db, body: ReturnType<typeof sql>) =>
  sql`create or replace function wall_clock() returns timestamptz language sql volatile parallel safe as
$$ ${body} $$`.execute(db)
