/** The row `clock` and the lease of that name, as the keeper of steady time reads and writes them. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import type { SinceBoot } from './since-boot.ts'

/** A step that is smaller is none: a slow answer, or a clock that is slewed. */
export const TOLERANCE_MS = 2_000
/** Outlives two looks of its holder. */
const LEASE_MS = 2_500
/** No job holds its lease for longer; one that seems to is of a clock that has been set back since. */
const LONGEST_LEASE_MS = 2 * 3_600_000
/** An answer that took longer tells too little of when it was given. */
const PROMPT_MS = 500
const TRIES = 5

/** The two times at one moment. */
export interface Pair {
  /** steady_now(), in milliseconds since 1970. */
  steadyMs: number
  /** Since the machine's start. */
  upMs: number
}

/** The pair that is kept, with the start of the machine that it belongs to; null: it cannot be told from others. */
export interface Anchor extends Pair {
  boot: string | null
}

export interface Look extends Pair {
  /** How often the correction was changed. */
  moved: number
  correctionMs: number
  /** As it was kept last. */
  stored: Anchor | null
  lease: { holder: string; untilMs: number } | null
}

const timeOf = (ms: number) => sql<Date>`to_timestamp(${ms}::double precision / 1000)`

/** Both times at one moment; undefined while the database answers too slowly to tell. */
export async function lookAt(db: Db, machine: SinceBoot): Promise<Look | undefined> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const asked = machine.upMs()
    const { rows } = await sql<Row>`
      select
        extract(epoch from steady_now())::double precision * 1000 as steady,
        extract(epoch from c.correction)::double precision * 1000 as correction,
        c.moved, c.boot, c.up_ms,
        extract(epoch from c.steady_at)::double precision * 1000 as steady_at,
        l.holder, extract(epoch from l.until)::double precision * 1000 as until
      from clock c left join leases l on l.name = 'clock'`.execute(db)
    const answered = machine.upMs()
    if (answered - asked <= PROMPT_MS) return lookOf(rows[0]!, (asked + answered) / 2)
  }
  return undefined
}

interface Row {
  steady: number
  correction: number
  moved: number
  boot: string | null
  up_ms: number
  steady_at: number
  holder: string | null
  until: number
}

const lookOf = (row: Row, upMs: number): Look => ({
  steadyMs: row.steady,
  upMs,
  moved: row.moved,
  correctionMs: row.correction,
  stored: row.boot === null ? null : { boot: row.boot, steadyMs: row.steady_at, upMs: row.up_ms },
  lease: row.holder === null ? null : { holder: row.holder, untilMs: row.until },
})

/** Locks the row and returns how often it was moved. */
export async function lockClock(db: Db): Promise<number> {
  const row = await db.selectFrom('clock').select('moved').forUpdate().executeTakeFirstOrThrow()
  return row.moved
}

/**
 * The lease `clock`, by a time that the caller vouches for: the clock itself may be what is wrong. Returns
 * false when another holds it.
 */
export async function takeLead(db: Db, holder: string, nowMs: number): Promise<boolean> {
  const { rows } = await sql`
    insert into leases (name, holder, until) values ('clock', ${holder}, ${timeOf(nowMs + LEASE_MS)})
    on conflict (name) do update
      set holder = excluded.holder, until = excluded.until,
        token = leases.token + (leases.holder <> excluded.holder)::int
      where leases.holder = excluded.holder or leases.until <= ${timeOf(nowMs)}
        or leases.until > ${timeOf(nowMs + TOLERANCE_MS + LEASE_MS)}
    returning token`.execute(db)
  return rows.length > 0
}

export async function dropLead(db: Db, holder: string): Promise<void> {
  await sql`
    update leases set until = steady_now() where name = 'clock' and holder = ${holder}`.execute(db)
}

/** Whether the lease is another's at that time. One that would run for long is of another clock. */
export const isHeldByOther = ({ lease }: Look, me: string, nowMs: number): boolean =>
  lease !== null &&
  lease.holder !== me &&
  lease.untilMs > nowMs &&
  lease.untilMs <= nowMs + TOLERANCE_MS + LEASE_MS

/** Sets the correction, with the pair that it makes true; null: none is known. */
export async function moveClock(db: Db, correctionMs: number, pair: Anchor | null): Promise<void> {
  await sql`
    update clock set correction = ${correctionMs} * interval '1 millisecond', moved = moved + 1,
      boot = null`.execute(db)
  if (pair) await storePair(db, pair)
}

export async function storePair(db: Db, { boot, steadyMs, upMs }: Anchor): Promise<void> {
  await db
    .updateTable('clock')
    .set({ boot, up_ms: upMs, steady_at: timeOf(steadyMs) })
    .execute()
}

/** Ends the leases that would hold a job for hours: the clock was set back since they were taken. */
export async function endOverlongLeases(db: Db): Promise<void> {
  await sql`
    update leases set until = loam_now()
    where until > loam_now() + ${LONGEST_LEASE_MS} * interval '1 millisecond'`.execute(db)
}

/** Moves the ends of all leases with the clock. */
export async function shiftLeases(db: Db, byMs: number): Promise<void> {
  await sql`update leases set until = until + ${byMs} * interval '1 millisecond'`.execute(db)
}
