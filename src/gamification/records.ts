/** The most there ever was of something. A record goes forward only. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Db } from '../kernel/kernel.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'

/** By their names; `kept` is that of the settings row. */
export const RECORDS = {
  tasks_day: { kept: 'tasksDay', label: 'tasks closed in a day' },
  memories_day: { kept: 'memoriesDay', label: 'memories written in a day' },
  live_agents: { kept: 'liveAgents', label: 'agents live at once' },
} as const
export type RecordName = keyof typeof RECORDS
const NAMES = Object.keys(RECORDS) as RecordName[]

/** So much there was on a day of the owner, 2026-03-31. */
export interface Reached {
  record: RecordName
  n: number
  day: string
}

/** A record that is worth a word. */
export interface Broken extends Reached {
  /** What it was on the days before. */
  prev: number
}

/** Where there was nothing before, less than this is a beginning and no record. */
const LEAST = 3

/** The settings row. */
const KEPT = 'gamification_records'
const One = Type.Object({
  n: Type.Integer({ minimum: 0 }),
  day: Type.String(),
  /** What it was on the days before, or when it began to be looked at. */
  prev: Type.Integer({ minimum: 0 }),
})
type One = Static<typeof One>
const KeptOne = Compile(One)

async function findKept(db: Db): Promise<Map<RecordName, One>> {
  const stored = Object(await findSetting(db, KEPT)) as Record<string, unknown>
  return new Map(
    NAMES.flatMap((name) => {
      const one = stored[RECORDS[name].kept]
      return KeptOne.Check(one) ? [[name, one]] : []
    }),
  )
}

/**
 * Keeps what is more than ever before, day after day, and returns what is worth a word. Whoever calls holds the row of
 * the follower, so nobody else does it meanwhile.
 */
export async function advanceRecords(db: Db, reached: readonly Reached[]): Promise<Broken[]> {
  const kept = await findKept(db)
  const higher: Broken[] = []
  for (const { record, n, day } of reached.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const before = kept.get(record) ?? { n: 0, day: '', prev: 0 }
    if (n <= before.n) continue
    const prev = before.day < day ? before.n : before.prev
    kept.set(record, { n, day, prev })
    higher.push({ record, n, day, prev })
  }
  if (higher.length > 0) await keep(db, kept)
  return higher.filter(({ n, prev }) => prev > 0 || n >= LEAST)
}

/** Keeps what is more than ever before as what there was before anybody looked: no word is lost about it. */
export async function beginRecords(db: Db, reached: readonly Reached[]): Promise<void> {
  const kept = await findKept(db)
  for (const { record, n, day } of reached) {
    if (n > (kept.get(record)?.n ?? 0)) kept.set(record, { n, day, prev: n })
  }
  await keep(db, kept)
}

const keep = (db: Db, kept: ReadonlyMap<RecordName, One>): Promise<void> =>
  putSetting(
    db,
    KEPT,
    Object.fromEntries([...kept].map(([name, one]) => [RECORDS[name].kept, one])),
  )

export interface StandingRecord {
  key: RecordName
  label: string
  n: number
  /** When it was set; null while there is none. */
  day: string | null
}

/** Returns every record as it stands, 0 where there is none yet. */
export async function findRecords(db: Db, owner: OwnerScope): Promise<StandingRecord[]> {
  checkOwner(owner)
  const kept = await findKept(db)
  return NAMES.map((key) => {
    const { n = 0, day = null } = kept.get(key) ?? {}
    return { key, label: RECORDS[key].label, n, day }
  })
}
