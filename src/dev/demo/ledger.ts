/**
 * What the demo did, by its own account: every call, every answer as its agent read it. Nothing in it is
 * read from the rows, so that what pages show can be held against it.
 */
export interface SessionAccount {
  /** The client's own id of it, or the name by which session_start made it. */
  key: string
  /** Its handle. */
  name: string
  id: string
  project: string
  client: string
  model: string
  ambient: boolean
  status: 'active' | 'completed' | 'expired'
  /** RFC 3339. */
  started: string
  lastHeard: string
  ended: string | null
  calls: Record<string, number>
  failed: number
  prompts: number
  memoryReads: number
  noteReads: number
  memoryWrites: number
  noteWrites: number
  trials: number
  misses: number
  /** Times that it was told something, and the items in them. */
  injections: number
  itemsShown: number
  mishaps: number
  findings: boolean
  tokens: Record<string, number> | null
}

export interface ItemAccount {
  id: string
  name: string
  project: string
  kind: string
  status: string
  starred: boolean
  /** RFC 3339. */
  created: string
  updated: string
}

export interface TaskAccount extends ItemAccount {
  plan: string
  /** The key of the session that holds it, and until when. */
  holder: string | null
  leaseUntil: string | null
  dependsOn: string[]
}

export interface Ledger {
  /** What the content was made by: seed, scale and version of the generator. */
  made: { seed: number; scale: number; now: string; from: string; key: string }
  projects: {
    slug: string
    isolation: string
    parent: string | null
    families: string[]
    retired: boolean
  }[]
  sessions: SessionAccount[]
  memories: ItemAccount[]
  notes: ItemAccount[]
  tasks: TaskAccount[]
  plans: { slug: string; project: string; kind: 'captured' | 'composed'; status: string }[]
  trials: { id: string; lab: string; project: string; outcome: string; session: string }[]
  mishaps: { at: string; session: string; project: string; description: string }[]
  /** Calls that were refused. */
  failures: { at: string; session: string; tool: string; error: string }[]
  misses: { at: string; session: string; query: string }[]
  /** By kind of event. */
  events: Record<string, number>
  /** By day of UTC: how often something was told, and how many items. */
  days: Record<string, { injections: number; items: number; calls: number; sessions: number }>
}

export const newLedger = (made: Ledger['made']): Ledger => ({
  made,
  projects: [],
  sessions: [],
  memories: [],
  notes: [],
  tasks: [],
  plans: [],
  trials: [],
  mishaps: [],
  failures: [],
  misses: [],
  events: {},
  days: {},
})

export const counted = (counts: Record<string, number>, name: string, by = 1): void => {
  counts[name] = (counts[name] ?? 0) + by
}

export function dayOf(ledger: Ledger, at: Date): Ledger['days'][string] {
  const day = at.toISOString().slice(0, 10)
  return (ledger.days[day] ??= { injections: 0, items: 0, calls: 0, sessions: 0 })
}
