/** What a briefing is made from, read in a few statements. */
import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { effectiveFeatures, type Features } from '../features/features.ts'
import { scopeOf, type Isolation, type Place, type Scope } from '../projects/projects.ts'
import { effectiveOptions, utilityWeight, type BriefingOptions } from './options.ts'

/** Where a briefing is for, and how it is to be. */
export interface Setting {
  scope: Scope
  project: string
  isolation: Isolation
  /** The project whose memories are inherited; null when there is none that may be. */
  parent: string | null
  /** Projects of the same families, all of them open. */
  siblings: string[]
  options: BriefingOptions
  /** The part of demand in every order. */
  weight: number
  features: Features
}

interface PlaceRow {
  isolation: Isolation
  parent: string | null
  siblings: string[]
  options: unknown
  activation: unknown
  features: unknown
}
type PlaceParams = { project: string; families: string[]; members: string[] }
const readPlace = sqlFile<PlaceParams, PlaceRow>('briefing/place')

/** Reads the override rows each time: what the owner sets counts for the next briefing. */
export async function readSetting(kernel: Kernel, place: Place): Promise<Setting> {
  const { project } = place
  const configured = Object.entries(kernel.config.project_families).flatMap(([family, members]) =>
    members.map((member) => ({ family, member })),
  )
  const [row] = await readPlace(kernel.db, {
    project,
    families: configured.map(({ family }) => family),
    members: configured.map(({ member }) => member),
  })
  const options = effectiveOptions(kernel, row?.options)
  // A fence that was closed since the caller looked is closed.
  const isolation = stricter(place.isolation, row?.isolation ?? 'open')
  const open = isolation === 'open'
  return {
    scope: scopeOf(kernel, { project, isolation }),
    project,
    isolation,
    parent: open ? (row?.parent ?? null) : null,
    siblings: open ? (row?.siblings ?? []) : [],
    options,
    weight: utilityWeight(options, row?.activation, project),
    features: effectiveFeatures(kernel.config.features, row?.features),
  }
}

const LEVELS: readonly Isolation[] = ['open', 'confidential', 'sealed']
export const stricter = (one: Isolation, other: Isolation): Isolation =>
  LEVELS[Math.max(LEVELS.indexOf(one), LEVELS.indexOf(other))]!

export interface MemoryRow {
  part: 'constraint' | 'stage' | 'convention' | 'starred' | 'index'
  id: string
  project: string
  name: string
  description: string
  favorite: boolean
  stage_status: string
  stage_gate: string
  /** How many there are in its part, whether they are here or not. */
  of: number
}
type MemoriesParams = {
  project: string
  searched: readonly string[]
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
const memories = sqlFile<MemoriesParams, MemoryRow>('briefing/memories')
const counts = sqlFile<
  { searched: readonly string[] },
  { kind: string; memories: number; starred: number }
>('briefing/counts')

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
  allConventions: number
  allIndexed: number
}

/** A line about a memory has hardly fewer bytes: no more of them are read than can fit. */
const SHORT_LINE = 24

const fitting = ({ config }: Kernel): number =>
  Math.ceil((4 * config.budgets.max_briefing_tokens) / SHORT_LINE)

/** The scope, and the parent whose memories are inherited. */
const searchedFor = ({ scope, parent, options }: Setting): readonly string[] =>
  options.include_parent_memories && parent !== null ? [...scope.searched, parent] : scope.searched

function readMemories(kernel: Kernel, setting: Setting, most: number): Promise<MemoryRow[]> {
  const { project, options, weight } = setting
  const upTo = (shown: number): number => (shown === 0 ? most : Math.min(shown, most))
  return memories(kernel.db, {
    project,
    searched: searchedFor(setting),
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

/** No briefing is longer, in bytes, whatever must stand in it. */
export const hardCap = ({ config }: Kernel, { hard_cap_multiplier }: BriefingOptions): number =>
  4 * config.budgets.max_briefing_tokens * (hard_cap_multiplier || 2)

export async function readPool(kernel: Kernel, setting: Setting): Promise<Pool> {
  const searched = searchedFor(setting)
  const [rows, kinds] = await Promise.all([
    readMemories(kernel, setting, fitting(kernel)),
    counts(kernel.db, { searched }),
  ])
  const part = (name: MemoryRow['part']): MemoryRow[] => rows.filter((row) => row.part === name)
  const all = (kind: string): number => kinds.find((row) => row.kind === kind)?.memories ?? 0
  const sum = (of: (row: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, row) => total + of(row), 0)
  const PARTED = ['constraint', 'convention', 'stage']
  return {
    constraints: part('constraint'),
    stages: part('stage'),
    conventions: part('convention'),
    starred: part('starred'),
    index: part('index'),
    total: sum((row) => row.memories),
    allConventions: all('convention'),
    allIndexed: sum((row) => (PARTED.includes(row.kind) ? 0 : row.memories - row.starred)),
  }
}

export interface Finding {
  name: string
  project: string
  findings: string
  /** In seconds. */
  age: number
}
type FindingsParams = { projects: readonly string[]; blank: string; days: number; most: number }
export const findings = sqlFile<FindingsParams, Finding>('briefing/findings')

export interface Plan {
  plan: string
  steps: number
  done: number
  in_flight: number
  claimable: number
  /** How many there are, whether they are here or not. */
  plans: number
}
export const plans = sqlFile<{ project: string; most: number }, Plan>('briefing/plans')

export interface PendingPlan {
  plan: string
  title: string
  status: string
  age: number
}
type PendingParams = { project: string; days: number; most: number }
export const pendingPlans = sqlFile<PendingParams, PendingPlan>('briefing/pending_plans')

export const readyTasks = sqlFile<
  { project: string; most: number },
  { title: string; ready: number }
>('briefing/ready')

export interface OwnWork {
  findings: string
  /** The captured plan that the session works on. */
  plan: string | null
  plan_status: string | null
  claimed: number
  claims: {
    id: string
    plan: string
    /** Null when the project may not read it. */
    title: string | null
    held: boolean
    steps: number
    done: number
  }[]
}
type OwnParams = { session: string; project: string; level: Isolation }
const ownWork = sqlFile<OwnParams, OwnWork>('briefing/own_work')

export async function readOwnWork(
  db: Db,
  session: string,
  { project, isolation }: Setting,
): Promise<OwnWork | undefined> {
  const [row] = await ownWork(db, { session, project, level: isolation })
  return row
}

type SiblingParams = { siblings: readonly string[]; days: number; most: number }
const siblingMemories = sqlFile<
  SiblingParams,
  Pick<MemoryRow, 'id' | 'project' | 'name' | 'description'>
>('briefing/sibling_memories')

/** Memories of projects of the same family, the newest first. */
export function readSiblings(
  kernel: Kernel,
  siblings: readonly string[],
  { options }: Setting,
): Promise<Pick<MemoryRow, 'id' | 'project' | 'name' | 'description'>[]> {
  return siblingMemories(kernel.db, {
    siblings,
    days: options.memory_max_age_days,
    most: fitting(kernel),
  })
}
