/**
 * Usage: how much is stored, and how much of it is used. The counts are made as things happen (demand's
 * tables and log_counts). No query scans the log itself.
 *
 * This file is the room's door. Other rooms import only this file of usage/.
 */
import type { Db, Kernel } from '../kernel/kernel.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'

export { keepOwnerZone, rebuildShown, tidyShown } from './shown.ts'
export { forgetPulse } from './pulse.ts'
export { tellInGaps, tellStatistics } from './told.ts'

const standing = scopeSql<object, { what: Standing; name: string; count: number }>('usage/standing')
const surfaces = scopeSql<object, Surface>('usage/surfaces')
const mostUsed = scopeSql<{ most: number; look: number }, MostUsed>('usage/most_used')
const savings = scopeSql<object, { items: number; tokens: number }>('usage/savings')
const events = scopeSql<object, { kind: string; count: number }>('usage/events')

type Standing = 'memory' | 'note' | 'session' | 'task'
interface Surface {
  surface: string
  times: number
  items: number
  pulled: number
}
interface MostUsed {
  injected: { id: string; name: string; count: number }[]
  utility: { id: string; name: string; score: number }[]
  enough: boolean
}

/** Counts by name, without zeros. */
export type Counts = Record<string, number>

export interface Usage {
  memories: { active: number; byKind: Counts }
  notes: number
  sessions: Counts
  tasks: Counts
  retrieval: {
    injections: number
    reads: number
    /** What was not told again, because its agent had been told it before. */
    held: number
    savedTokens: number
    topInjected: { id: string; name: string; count: number }[]
    topUtility: { id: string; name: string; score: number }[]
    funnelBySurface: {
      surface: string
      injections: number
      items: number
      itemsRead: number
      readRate: number
    }[]
  }
  eventsByKind: Counts
}

/** The surfaces that show knowledge without a request, in the order of the funnel. */
const PUSHED = ['session-start', 'subagent-start']
/** The length of each list of the most used memories. */
const MOST = 5

/** The first number of candidates. It is enough unless fences hide nearly all of the most used. */
const FIRST_LOOK = 50

async function findMostUsed(db: Db, scope: Scope): Promise<MostUsed> {
  for (let look = FIRST_LOOK; ; look *= 8) {
    const [found] = await mostUsed(db, scope, { most: MOST, look })
    if (found!.enough) return found!
  }
}

/** Returns the usage that the caller may read, up to this moment and with its own last call. */
export async function usageOf(kernel: Kernel, scope: Scope): Promise<Usage> {
  await kernel.telemetry.flush()
  const { db } = kernel
  const [stored, shown, used, log, [saved]] = await Promise.all([
    standing(db, scope, {}),
    surfaces(db, scope, {}),
    findMostUsed(db, scope),
    events(db, scope, {}),
    savings(db, scope, {}),
  ])
  const of = (what: Standing): Counts =>
    Object.fromEntries(
      stored.filter((row) => row.what === what).map((row) => [row.name, row.count]),
    )
  const byKind = of('memory')
  return {
    memories: { active: sum(Object.values(byKind)), byKind },
    notes: sum(Object.values(of('note'))),
    sessions: of('session'),
    tasks: of('task'),
    retrieval: {
      injections: sum(shown.filter(({ surface }) => surface !== 'read').map(({ times }) => times)),
      reads: sum(shown.filter(({ surface }) => surface === 'read').map(({ times }) => times)),
      held: saved?.items ?? 0,
      savedTokens: saved?.tokens ?? 0,
      topInjected: used.injected,
      topUtility: used.utility,
      funnelBySurface: PUSHED.flatMap((one) => shown.filter(({ surface }) => surface === one)).map(
        ({ surface, times, items, pulled }) => ({
          surface,
          injections: times,
          items,
          itemsRead: pulled,
          readRate: Math.round((100 * pulled) / items),
        }),
      ),
    },
    eventsByKind: Object.fromEntries(log.map(({ kind, count }) => [kind, count])),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
