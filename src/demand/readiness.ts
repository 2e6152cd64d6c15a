/** Whether a project has enough demand to order its briefings by it. */
import { Compile } from 'typebox/compile'
import Type from 'typebox'
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { inTransaction } from '../postgres/transaction.ts'

/** The least of each figure. A project is ready when it reaches all of them. */
export const GATES = { days: 14, events: 20, items: 10 }

/** The settings row. A project that was ready once stays ready, and the owner may force either state. */
export const ACTIVATION = 'utility_activation'
const Latch = Type.Object({
  ready_at: Type.Optional(Type.String()),
  forced: Type.Optional(Type.Enum(['on', 'off'], { type: 'string' })),
})
const Activation = Compile(Type.Object({ projects: Type.Record(Type.String(), Latch) }))
interface Latch {
  ready_at?: string
  forced?: 'on' | 'off'
}
type Latches = Record<string, Latch>

export interface Readiness {
  /** '' is the global scope. */
  project: string
  /** `armed`: the project is ready, and the next pass latches it. */
  status: 'active' | 'armed' | 'building' | 'forced-off'
  forced: 'on' | 'off' | null
  /** RFC 3339. */
  readyAt: string | null
  recentEvents: number
  recentMemories: number
  /** Since the first demand; null without any. */
  ageDays: number | null
  eventsOK: boolean
  memoriesOK: boolean
  ageOK: boolean
  /** What is missing, in words; '' when nothing is missing, or without any demand. */
  remaining: string
}

/** What was asked in a project. */
export interface DemandCount {
  project: string
  /** In the last 30 days, and for how many items. */
  events: number
  items: number
  /** Since the first of all, in days; null: nothing was ever asked. */
  age: number | null
}
const query = sqlFile<{ activation: string }, DemandCount>('demand/readiness')

/** Counts what was asked in every project. It reads the demand of 30 days. */
export const countDemand = async (db: Db): Promise<DemandCount[]> =>
  query(db, { activation: JSON.stringify(await findLatches(db)) })

/**
 * Returns every project with its figures and what it lacks: active ones first, then by demand. `counts` are those of
 * `countDemand`, when they were counted already.
 */
export async function utilityReadiness(
  db: Db,
  counts?: readonly DemandCount[],
): Promise<Readiness[]> {
  const [rows, latches] = await Promise.all([counts ?? countDemand(db), findLatches(db)])
  return rows.map((row) => readinessOf(row, latches)).sort(byWeight)
}

/**
 * Latches the projects that became ready, and returns them. The gardener's round calls it; two calls at
 * once latch nothing twice.
 */
export function armUtility(kernel: Kernel): Promise<Readiness[]> {
  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    await lockLatches(db)
    const armed = (await utilityReadiness(db)).filter(({ status }) => status === 'armed')
    if (armed.length === 0) return []
    const latches = await findLatches(db)
    const now = kernel.clock.now().toISOString()
    for (const { project } of armed) latches[project] = { ...latches[project], ready_at: now }
    await putSetting(db, ACTIVATION, { projects: latches })
    return armed
  })
}

export const FORCES = ['auto', 'on', 'off'] as const
export type Force = (typeof FORCES)[number]

/**
 * Forces projects on or off for the owner; `auto` removes the force. Returns those that were otherwise, with what they
 * are now.
 */
export function forceUtility(
  kernel: Kernel,
  forces: Readonly<Record<string, Force>>,
): Promise<Record<string, Force>> {
  return inTransaction(kernel, async ({ db }) => {
    await lockLatches(db)
    const latches = await findLatches(db)
    const changed = Object.entries(forces).filter(
      ([project, force]) => (latches[project]?.forced ?? 'auto') !== force,
    )
    await refuseUnknown(
      db,
      latches,
      changed.map(([project]) => project),
    )
    for (const [project, force] of changed) {
      const { forced: _, ...latch } = latches[project] ?? {}
      latches[project] = force === 'auto' ? latch : { ...latch, forced: force }
      if (Object.keys(latches[project]).length === 0) delete latches[project]
    }
    if (changed.length > 0) await putSetting(db, ACTIVATION, { projects: latches })
    return Object.fromEntries(changed)
  })
}

/** Removes every force. Returns the projects that had one. */
export function unforceUtility(kernel: Kernel): Promise<string[]> {
  return inTransaction(kernel, async (kernel) => {
    await lockLatches(kernel.db)
    const forced = Object.entries(await findLatches(kernel.db)).filter(([, { forced }]) => forced)
    const none = forced.map(([project]): [string, Force] => [project, 'auto'])
    return Object.keys(await forceUtility(kernel, Object.fromEntries(none)))
  })
}

/** What is read here is written anew: nobody else does so meanwhile. */
const lockLatches = (db: Db): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtext(${ACTIVATION}))`.execute(db)

/** A scope is the global one, a registered project, or one that was asked for something or latched before. */
async function refuseUnknown(db: Db, latches: Latches, projects: readonly string[]): Promise<void> {
  const asked = projects.filter((project) => project !== '' && !Object.hasOwn(latches, project))
  if (asked.length === 0) return
  const { rows } = await sql<{ project: string }>`
    select project from unnest(${asked}::text[]) as a (project)
    where not exists (select from projects p where p.slug = a.project)
      and not exists (select from demand_starts s where s.project = a.project)
    order by project limit 1`.execute(db)
  if (rows[0]) throw notFound(`project ${JSON.stringify(rows[0].project.slice(0, 200))}`)
}

const findLatches = async (db: Db): Promise<Latches> => latchesIn(await findSetting(db, ACTIVATION))

/** A row that cannot be read counts as none. A project that was ready becomes ready again. */
const latchesIn = (stored: unknown): Latches =>
  Activation.Check(stored) ? (stored.projects as Latches) : {}

/** Whether demand orders the briefings of a project, by what the settings row holds. */
export function isUtilityActive(stored: unknown, project: string): boolean {
  const latches = latchesIn(stored)
  return Object.hasOwn(latches, project) && isActive(latches[project]!)
}

const isActive = ({ ready_at = '', forced }: Latch): boolean =>
  forced === undefined ? ready_at !== '' : forced === 'on'

function readinessOf({ project, events, items, age }: DemandCount, latches: Latches): Readiness {
  const latch = latches[project] ?? {}
  const { ready_at: readyAt = null, forced = null } = latch
  const gates = {
    eventsOK: events >= GATES.events,
    memoriesOK: items >= GATES.items,
    ageOK: (age ?? 0) >= GATES.days,
  }
  const ready = gates.eventsOK && gates.memoriesOK && gates.ageOK
  const rest = ready ? 'armed' : 'building'
  return {
    project,
    status: forced === 'off' ? 'forced-off' : isActive(latch) ? 'active' : rest,
    forced,
    readyAt,
    recentEvents: events,
    recentMemories: items,
    ageDays: age === null ? null : Math.floor(age),
    ...gates,
    remaining: age === null ? '' : missing(gates, { events, items, age }),
  }
}

function missing(
  { eventsOK, memoriesOK, ageOK }: Pick<Readiness, 'eventsOK' | 'memoriesOK' | 'ageOK'>,
  { events, items, age }: { events: number; items: number; age: number },
): string {
  const lacks = [
    !eventsOK && `${GATES.events - events} more demand events in 30 days`,
    !memoriesOK && `${GATES.items - items} more items asked for`,
    !ageOK && `${Math.ceil(GATES.days - age)} more days of history`,
  ]
  return lacks.filter(Boolean).join(', ')
}

const byWeight = (a: Readiness, b: Readiness): number =>
  Number(b.status === 'active') - Number(a.status === 'active') ||
  b.recentEvents - a.recentEvents ||
  (a.project < b.project ? -1 : 1)
