/** On which days sessions left something, and how many of them in a row. */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Kernel } from '../kernel/kernel.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { scopeSql, type OwnerScope } from '../projects/projects.ts'
import { daysAfter, isDay, weekdayOf } from './days.ts'

/** A year of days behind today. */
const CALENDAR_DAYS = 364
/** Before every day of a session. */
const BEGINNING = '0001-01-01'

export interface CaptureDay {
  /** 2026-03-31. */
  day: string
  /** Those that began on it. */
  sessions: number
  /** Whether one of them left findings, a memory, a note or a trial. */
  covered: boolean
}

export interface CaptureCalendar {
  today: string
  /** A Sunday. */
  first: string
  /** Those on which a session began, in order. */
  days: CaptureDay[]
  /** Covered days in a row, up to today or yesterday: a day that is not over breaks nothing. And the most ever. */
  streak: { current: number; longest: number }
}

const today = scopeSql<object, { today: string; zone: string }, OwnerScope>('momentum/today')
const daysBetween = scopeSql<{ from: string; until: string }, CaptureDay, OwnerScope>(
  'momentum/days',
)

/** Returns a year of days with what sessions left on them. */
export async function captureCalendar(kernel: Kernel, owner: OwnerScope): Promise<CaptureCalendar> {
  const { db } = kernel
  const [now] = await today(db, owner, {})
  const earliest = daysAfter(now!.today, -CALENDAR_DAYS)
  const first = daysAfter(earliest, -weekdayOf(earliest))
  const until = daysAfter(now!.today, 1)
  const days = await daysBetween(db, owner, { from: first, until })
  const before = await streakBefore(kernel, owner, first, now!.zone)
  const covered = new Set(days.flatMap(({ day, covered }) => (covered ? day : [])))
  const past = walk(before, covered, first, now!.today)
  const run = covered.has(now!.today) ? past.run + 1 : past.run
  const streak = { current: run, longest: Math.max(past.longest, run) }
  return { today: now!.today, first, days, streak }
}

interface Streak {
  longest: number
  /** Covered days in a row at the end. */
  run: number
}

function walk(
  { longest, run }: Streak,
  covered: ReadonlySet<string>,
  from: string,
  until: string,
): Streak {
  for (let day = from; day < until; day = daysAfter(day, 1)) {
    run = covered.has(day) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return { longest, run }
}

/** The settings row. What lies before the calendar is walked through once, and then a day more each day. */
const KEPT = 'momentum_capture_streak'
const Kept = Compile(
  Type.Object({
    longest: Type.Integer({ minimum: 0 }),
    run: Type.Integer({ minimum: 0 }),
    /** The last day that is in it. */
    through: Type.String(),
    zone: Type.String(),
  }),
)

/** The streak up to the day before `first`. A row that cannot be true is made anew. */
async function streakBefore(
  kernel: Kernel,
  owner: OwnerScope,
  first: string,
  zone: string,
): Promise<Streak> {
  const { db } = kernel
  const through = daysAfter(first, -1)
  const stored = await findSetting(db, KEPT)
  const kept = Kept.Check(stored) && isDay(stored.through) && stored.zone === zone ? stored : null
  if (kept?.through === through) return kept
  const from = kept && kept.through < through ? daysAfter(kept.through, 1) : BEGINNING
  const days = await daysBetween(db, owner, { from, until: first })
  const covered = new Set(days.flatMap(({ day, covered }) => (covered ? day : [])))
  const known = from === BEGINNING ? { longest: 0, run: 0 } : kept!
  // Before the first session there is nothing to walk through.
  const begin = from === BEGINNING ? (days[0]?.day ?? first) : from
  const { longest, run } = walk(known, covered, begin, first)
  await putSetting(db, KEPT, { longest, run, through, zone })
  return { longest, run }
}
