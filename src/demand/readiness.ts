/** Whether a project has enough demand to order its briefings by it. */
import { Compile } from 'typebox/compile'
import Type from 'typebox'
import type { Db, Kernel } from '../kernel/kernel.ts'
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
type Latches = Record<string, { ready_at?: string; forced?: 'on' | 'off' }>

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

interface Row {
  project: string
  events: number
  items: number
  age: number | null
}
const query = sqlFile<{ activation: string }, Row>('demand/readiness')

/** Returns every project with its figures and what it lacks: active ones first, then by demand. */
export async function utilityReadiness(db: Db): Promise<Readiness[]> {
  const latches = await findLatches(db)
  const rows = await query(db, { activation: JSON.stringify(latches) })
  return rows.map((row) => readinessOf(row, latches)).sort(byWeight)
}

/**
 * Latches the projects that became ready, and returns them. The pass over demand calls it; two calls at
 * once latch nothing twice.
 */
export function armUtility(kernel: Kernel): Promise<Readiness[]> {
  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    const armed = (await utilityReadiness(db)).filter(({ status }) => status === 'armed')
    if (armed.length === 0) return []
    const latches = await findLatches(db)
    const now = kernel.clock.now().toISOString()
    for (const { project } of armed) latches[project] = { ...latches[project], ready_at: now }
    await putSetting(db, ACTIVATION, { projects: latches })
    return armed
  })
}

/** Forces one project on or off for the owner; `auto` removes the force. */
export function forceUtility(
  kernel: Kernel,
  project: string,
  force: 'auto' | 'on' | 'off',
): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    const latches = await findLatches(db)
    const { forced: _, ...latch } = latches[project] ?? {}
    latches[project] = force === 'auto' ? latch : { ...latch, forced: force }
    await putSetting(db, ACTIVATION, { projects: latches })
  })
}

/** A row that cannot be read counts as none. A project that was ready becomes ready again. */
async function findLatches(db: Db): Promise<Latches> {
  const stored = await findSetting(db, ACTIVATION)
  return Activation.Check(stored) ? (stored.projects as Latches) : {}
}

function readinessOf({ project, events, items, age }: Row, latches: Latches): Readiness {
  const { ready_at: readyAt = null, forced = null } = latches[project] ?? {}
  const gates = {
    eventsOK: events >= GATES.events,
    memoriesOK: items >= GATES.items,
    ageOK: (age ?? 0) >= GATES.days,
  }
  const ready = gates.eventsOK && gates.memoriesOK && gates.ageOK
  const rest = ready ? 'armed' : 'building'
  const active = forced === 'on' || (forced === null && readyAt !== null)
  return {
    project,
    status: forced === 'off' ? 'forced-off' : active ? 'active' : rest,
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
