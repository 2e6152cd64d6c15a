/**
 * Usage: how much is kept, and what becomes of it. Read from what is counted as it happens (demand's
 * tables and log_counts); the log itself is never gone through.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in usage/.
 */
import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { Isolation, Scope } from '../projects/projects.ts'

type Reader = { caller: string; level: Isolation }
const standing = sqlFile<Reader, { what: Standing; name: string; count: number }>('usage/standing')
const surfaces = sqlFile<Reader, Surface>('usage/surfaces')
const mostUsed = sqlFile<Reader & { most: number; look: number }, MostUsed>('usage/most_used')
const events = sqlFile<Reader, { kind: string; count: number }>('usage/events')

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

/** Counts by name; what there is none of is left out. */
export type Counts = Record<string, number>

export interface Usage {
  memories: { active: number; byKind: Counts }
  notes: number
  sessions: Counts
  tasks: Counts
  retrieval: {
    injections: number
    reads: number
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
  gardenerPending: Counts
  eventsByKind: Counts
}

/** Where knowledge is handed over unasked, in the order of the funnel. */
const PUSHED = ['session-start', 'subagent-start']
/** Memories in each list of the most used. */
const MOST = 5

/** Enough but where fences hide nearly all of what is used most. */
const FIRST_LOOK = 50

async function findMostUsed(db: Db, reader: Reader): Promise<MostUsed> {
  for (let look = FIRST_LOOK; ; look *= 8) {
    const [found] = await mostUsed(db, { ...reader, most: MOST, look })
    if (found!.enough) return found!
  }
}

/** What the caller may read of it all, to this moment: its own last call included. */
export async function usageOf(kernel: Kernel, { caller }: Scope): Promise<Usage> {
  await kernel.telemetry.flush()
  const reader = { caller: caller.project, level: caller.isolation }
  const { db } = kernel
  const [there, shown, used, log] = await Promise.all([
    standing(db, reader),
    surfaces(db, reader),
    findMostUsed(db, reader),
    events(db, reader),
  ])
  const of = (what: Standing): Counts =>
    Object.fromEntries(there.filter((row) => row.what === what).map((row) => [row.name, row.count]))
  const byKind = of('memory')
  return {
    memories: { active: sum(Object.values(byKind)), byKind },
    notes: sum(Object.values(of('note'))),
    sessions: of('session'),
    tasks: of('task'),
    retrieval: {
      injections: sum(shown.filter(({ surface }) => surface !== 'read').map(({ times }) => times)),
      reads: sum(shown.filter(({ surface }) => surface === 'read').map(({ times }) => times)),
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
    // Nobody proposes anything yet.
    gardenerPending: {},
    eventsByKind: Object.fromEntries(log.map(({ kind, count }) => [kind, count])),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
