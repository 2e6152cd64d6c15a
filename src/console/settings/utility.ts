/** Where demand orders briefings: each scope with its gates, what it lacks, and what the owner said of it. */
import { GATES, type Readiness } from '../../demand/demand.ts'
import { wireProject } from '../../projects/projects.ts'

/** Scopes of one page of the table. */
export const SCOPE_ROWS = 25

/** The least of each: what was asked in 30 days, for how many items, and since how many days. */
export const UTILITY_READY = [GATES.events, GATES.items, GATES.days]

export interface UtilityRow {
  /** `global` is the global scope. */
  project: string
  status: Readiness['status']
  forced?: 'on' | 'off'
  ready_at?: Date
  recent_events: number
  recent_memories: number
  age_days: number
  eventsOK: boolean
  memoriesOK: boolean
  ageOK: boolean
  remaining?: string
}

/** A row of the table: what it lacks is said in as few words as there is room for. */
export interface ShownScope extends Omit<UtilityRow, 'forced' | 'ready_at' | 'remaining'> {
  forced: 'on' | 'off' | null
  ready_at: Date | null
  remaining: string
  /** `10 demands, 1 day`; '' for nothing. */
  lacks: string
  /** Whether anything was ever asked there. */
  asked: boolean
  /** What its field holds: what was typed into a form that was refused, else what is in force. */
  force: string
}

export const utilityRow = (row: Readiness): UtilityRow => ({
  project: wireProject(row.project),
  status: row.status,
  ...(row.forced !== null && { forced: row.forced }),
  ...(row.readyAt !== null && { ready_at: new Date(row.readyAt) }),
  recent_events: row.recentEvents,
  recent_memories: row.recentMemories,
  age_days: row.ageDays ?? 0,
  eventsOK: row.eventsOK,
  memoriesOK: row.memoriesOK,
  ageOK: row.ageOK,
  ...(row.remaining !== '' && { remaining: row.remaining }),
})

export function shownScope(row: Readiness, typed: Readonly<Record<string, string>>): ShownScope {
  const { events, items, days } = GATES
  const asked = row.ageDays !== null
  const lacks = [
    !row.eventsOK && many(events - row.recentEvents, 'demand'),
    !row.memoriesOK && many(items - row.recentMemories, 'item'),
    !row.ageOK && many(days - (row.ageDays ?? 0), 'day'),
  ].filter((part) => part !== false)
  const isOpen = row.status === 'building'
  return {
    ...utilityRow(row),
    forced: row.forced,
    ready_at: row.readyAt === null ? null : new Date(row.readyAt),
    remaining: row.remaining,
    asked,
    force: typed[`utility_force.${wireProject(row.project)}`] ?? row.forced ?? 'auto',
    lacks: asked && isOpen ? lacks.join(', ') : '',
  }
}

const many = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
