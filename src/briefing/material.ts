/** What a briefing is made from, read in a few statements. */
import type { Db, Kernel } from '../kernel/kernel.ts'
import { ACTIVATION } from '../demand/demand.ts'
import { effectiveFeatures, FEATURES, type Features } from '../features/features.ts'
import {
  narrowed,
  readSurroundings,
  scopeSql,
  withInherited,
  type Scope,
  type Isolation,
  type Place,
  type Surroundings,
} from '../projects/projects.ts'
import { NO_SUMMARY } from '../sessions/sessions.ts'
import { BRIEFING, effectiveOptions, utilityWeight, type BriefingOptions } from './options.ts'

/** The project of a briefing, and its options. */
export interface Setting extends Omit<Surroundings, 'place' | 'settings'> {
  project: string
  isolation: Isolation
  options: BriefingOptions
  /** The part of demand in every order. */
  weight: number
  features: Features
}

const OVERRIDES = [BRIEFING, ACTIVATION, FEATURES] as const

/** Reads the override rows each time, so that a setting takes effect with the next briefing. */
export async function readSetting(kernel: Kernel, at: Place): Promise<Setting> {
  const { place, settings, ...near } = await readSurroundings(kernel, at, OVERRIDES)
  const options = effectiveOptions(kernel, settings[BRIEFING])
  return {
    ...near,
    ...place,
    options,
    weight: utilityWeight(options, settings[ACTIVATION], place.project),
    features: effectiveFeatures(kernel.config.features, settings[FEATURES]),
  }
}

export interface MemoryRow {
  part: 'constraint' | 'stage' | 'convention' | 'starred' | 'index'
  id: string
  project: string
  name: string
  kind: string
  description: string
  /** Since it was changed last, in seconds. */
  age: number
  favorite: boolean
  stage_status: string
  stage_gate: string
  /** How many there are in its part, whether they are here or not. */
  of: number
}
type MemoriesParams = {
  weight: number
  tiered: boolean
  stage_days: number
  index_days: number
  most: number
  indexed: number
  conventions: number
  full: number
  room: number
}
const memories = scopeSql<MemoriesParams, MemoryRow>('briefing/memories')
type Count = { kind: string; memories: number; own: number; starred: number }
const counts = scopeSql<object, Count>('briefing/counts')

/** The memories that a briefing chooses from, by the part of it they belong to, in their order. */
export interface Pool {
  /** As many as can be named; the first are described. */
  constraints: MemoryRow[]
  stages: MemoryRow[]
  conventions: MemoryRow[]
  starred: MemoryRow[]
  index: MemoryRow[]
  /** How many there are, whether they are here or not. */
  total: number
  /** Those of the project itself. */
  own: number
  allConventions: number
  allIndexed: number
  allStages: number
  /** Of the index, those that are older than it reaches. */
  tooOld: number
}

/** A line about a memory has hardly fewer bytes: no more of them are read than can fit. */
const SHORT_LINE = 24

const fitting = ({ config }: Kernel): number =>
  Math.ceil((4 * config.budgets.max_briefing_tokens) / SHORT_LINE)

/** Returns the scope with what its project inherits, by the rule and the setting of its briefing. */
export const inherited = (kernel: Kernel, scope: Scope): Promise<Scope> =>
  withInherited(
    kernel.db,
    scope,
    BRIEFING,
    (override) => effectiveOptions(kernel, override).include_parent_memories,
  )

/** The scope, with the parent whose memories are inherited. */
export const inheriting = ({ scope, wide, parent, options }: Setting): Scope =>
  options.include_parent_memories && parent !== null
    ? narrowed(wide, [...scope.searched, parent])
    : scope

function readMemories(kernel: Kernel, setting: Setting, most: number): Promise<MemoryRow[]> {
  const { options, weight } = setting
  const upTo = (shown: number): number => (shown === 0 ? most : Math.min(shown, most))
  return memories(kernel.db, inheriting(setting), {
    weight,
    tiered: options.constraint_max_full > 0,
    stage_days: options.stage_unknown_max_age_days,
    index_days: options.memory_max_age_days,
    most,
    indexed: upTo(options.memory_max_items),
    conventions: upTo(options.convention_max_full),
    full: options.constraint_max_full,
    room: hardCap(kernel, options),
  })
}

/** The constraints alone, in their order. */
export async function readConstraints(kernel: Kernel, setting: Setting): Promise<MemoryRow[]> {
  const rows = await readMemories(kernel, setting, 0)
  return rows.filter(({ part }) => part === 'constraint')
}

/** No briefing is longer than this, in bytes. */
export const hardCap = ({ config }: Kernel, { hard_cap_multiplier }: BriefingOptions): number =>
  4 * config.budgets.max_briefing_tokens * (hard_cap_multiplier || 2)

export async function readPool(kernel: Kernel, setting: Setting): Promise<Pool> {
  const [rows, kinds] = await Promise.all([
    readMemories(kernel, setting, fitting(kernel)),
    counts(kernel.db, inheriting(setting), {}),
  ])
  const part = (name: MemoryRow['part']): MemoryRow[] => rows.filter((row) => row.part === name)
  const all = (kind: string): number => kinds.find((row) => row.kind === kind)?.memories ?? 0
  const sum = (of: (row: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, row) => total + of(row), 0)
  const PARTED = ['constraint', 'convention', 'stage']
  const index = part('index')
  const allIndexed = sum((row) => (PARTED.includes(row.kind) ? 0 : row.memories - row.starred))
  const { of: young = 0 } = index[0] ?? {}
  // Among more than are read, nobody knows how many are old.
  const isKnown = setting.options.memory_max_age_days > 0 && young < fitting(kernel)
  return {
    constraints: part('constraint'),
    stages: part('stage'),
    conventions: part('convention'),
    starred: part('starred'),
    index,
    total: sum((row) => row.memories),
    own: sum((row) => row.own),
    allConventions: all('convention'),
    allIndexed,
    allStages: all('stage'),
    tooOld: isKnown ? allIndexed - young : 0,
  }
}

export interface Finding {
  name: string
  project: string
  findings: string
  /** In seconds. */
  age: number
}
type FindingsParams = { blank: string; days: number; most: number; own: string }
export const findings = scopeSql<FindingsParams, Finding>('briefing/findings')

export interface Plan {
  plan: string
  steps: number
  done: number
  in_flight: number
  claimable: number
  /** Since one of its steps was changed, in seconds. */
  age: number
  /** How many there are, whether they are here or not. */
  plans: number
}
export const plans = scopeSql<{ most: number }, Plan>('briefing/plans')

export interface PendingPlan {
  plan: string
  title: string
  status: string
  age: number
}
type PendingParams = { days: number; most: number }
export const pendingPlans = scopeSql<PendingParams, PendingPlan>('briefing/pending_plans')

export interface ReadyTask {
  title: string
  /** In seconds. */
  age: number
  /** How many there are, whether they are here or not. */
  ready: number
}
export const readyTasks = scopeSql<{ most: number }, ReadyTask>('briefing/ready')

/** What an agent has in hand. `by` names another session of its own; null: the one that is briefed. */
export interface OwnWork {
  findings: { by: string | null; text: string }[]
  /** The captured plan that the session works on. */
  plan: string | null
  plan_status: string | null
  claimed: number
  claims: {
    id: string
    by: string | null
    plan: string
    /** Null when the project may not read it. */
    title: string | null
    held: boolean
    steps: number
    done: number
  }[]
}
const ownWork = scopeSql<{ session: string; blank: string }, OwnWork>('briefing/own_work')

export async function readOwnWork(
  db: Db,
  session: string,
  { scope }: Setting,
): Promise<OwnWork | undefined> {
  const [row] = await ownWork(db, scope, { session, blank: NO_SUMMARY })
  return row
}

/** A memory as a line of a briefing shows it. */
export type Listed = Pick<MemoryRow, 'id' | 'project' | 'name' | 'kind' | 'description' | 'age'>

const siblingMemories = scopeSql<{ days: number; most: number }, Listed>(
  'briefing/sibling_memories',
)

/** Memories of projects of the same family, the newest first. */
export function readSiblings(
  kernel: Kernel,
  siblings: readonly string[],
  { wide, options }: Setting,
): Promise<Listed[]> {
  return siblingMemories(kernel.db, narrowed(wide, siblings), {
    days: options.memory_max_age_days,
    most: fitting(kernel),
  })
}
