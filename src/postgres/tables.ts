// Generated from sql/migrations by `npm run db:types`. Never edited.
import type { ColumnType } from 'kysely'

type Timestamp = ColumnType<Date, Date | string>
/** A column with a default: may be left out of an insert. */
type Defaulted<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>
/** A column that PostgreSQL computes: never written. */
type Generated<T> = ColumnType<T, never, never>

export interface ClockTable {
  one: Defaulted<boolean>
  shift: Defaulted<string>
  correction: Defaulted<string>
  moved: Defaulted<number>
  boot: string | null
  up_ms: number | null
  steady_at: Timestamp | null
}

export interface DemandStartsTable {
  project: string
  first_at: Timestamp
}

export interface EmbeddingQueueTable {
  kind: string
  id: string
  older_than: Timestamp | null
  queued_at: Defaulted<Timestamp>
  due_at: Defaulted<Timestamp>
  tries: Defaulted<number>
  error: Defaulted<string>
}

export interface EventItemsTable {
  event_id: string
  ts: Timestamp
  transport: boolean
  item_kind: string
  item_id: string
  class: string
}

export interface EventsTable {
  id: string
  ts: Timestamp
  kind: string
  transport: boolean
  session_id: string | null
  project: string | null
  item_id: string | null
  payload: Defaulted<unknown>
  tx: Defaulted<string>
}

export interface FamiliesTable {
  family: string
  project: string
}

export interface FilesTable {
  path: string
  content_hash: string
  size: number
  mtime_ns: string
  inode: string
  problem: string | null
  hashed_at: Defaulted<Timestamp>
}

export interface FoldQueueTable {
  kind: string
  id: string
  queued_at: Defaulted<Timestamp>
}

export interface FollowersTable {
  name: string
  since: Defaulted<Timestamp>
  prev: string
  now: string
  tx: string
  id: string
  past_ts: Timestamp | null
  past_id: Defaulted<string>
}

export interface GardenerMarksTable {
  pass: string
  at: Timestamp
  id: string
}

export interface GardenerRunsTable {
  id: string
  started_at: Defaulted<Timestamp>
  ended_at: Defaulted<Timestamp>
  passes: unknown
}

export interface HookAnswersTable {
  client: string
  hook: string
  answered_at: Timestamp | null
  failed_at: Timestamp | null
  cause: Defaulted<string>
}

export interface HooksHeardTable {
  client: string
  at: Timestamp
}

export interface ItemCreditsTable {
  item_id: string
  class: string
  session: string
}

export interface ItemStatsTable {
  kind: string
  id: string
  inject_count: Defaulted<number>
  read_count: Defaulted<number>
  last_injected_at: Timestamp | null
  last_read_at: Timestamp | null
  read_raw: Defaulted<number>
  recall_raw: Defaulted<number>
  prompt_raw: Defaulted<number>
  as_of: Timestamp
}

export interface ItemUsesTable {
  project: string
  kind: string
  id: string
  surface: string
  times: number
  last_at: Timestamp
  pulled: boolean
  raw: number
  as_of: Timestamp
  pulled_at: Timestamp | null
}

export interface KeptTotalsTable {
  unit: string
  since: Timestamp
  slot: number
  total: number
  covered: number
  findings: number
  memories: number
  notes: number
  trials: number
}

export interface LeasesTable {
  name: string
  holder: string
  until: Timestamp
  token: Defaulted<number>
}

export interface LexemeStatsTable {
  lexeme: string
  project: number
  passages: number
}

export interface LexemeTotalsTable {
  lexeme: string
  passages: number
}

export interface LinksTable {
  source_kind: string
  source_id: string
  name: string
  project: string | null
}

export interface LogCountsTable {
  project: string
  kind: string
  slot: number
  events: number
}

export interface McpSessionsTable {
  id: string
  client: Defaulted<string>
  client_version: Defaulted<string>
  protocol_version: string
  session_id: string | null
  lab: Defaulted<string>
  created_at: Defaulted<Timestamp>
  last_seen: Defaulted<Timestamp>
  spoke_for: Defaulted<string>
}

export interface MemoriesTable {
  id: string
  project: string
  name: string
  kind: string
  description: Defaulted<string>
  body: string
  tags: Defaulted<string[]>
  stage_status: Defaulted<string>
  stage_gate: Defaulted<string>
  valid_from: Timestamp
  invalid_at: Timestamp | null
  superseded_by: Defaulted<string>
  source_session: Defaulted<string>
  model: Defaulted<string>
  favorite: Defaulted<boolean>
  path: string
  content_hash: string
  created_at: Timestamp
  updated_at: Timestamp
  heading: string
  uncut: Defaulted<boolean>
}

export interface MemoryReachTable {
  id: string
  number: Defaulted<number>
  project: string
  kind: string
  active: boolean
  created_at: Timestamp | null
  updated_at: Timestamp
  ended_at: Timestamp | null
  last_at: Timestamp | null
  hour: number | null
  day: number | null
  hours: Defaulted<number>
  days: Defaulted<number>
  new_hours: Defaulted<number>
  new_days: Defaulted<number>
  times: Defaulted<number>
  tokens: Defaulted<number>
  briefed: Defaulted<number>
  sessions: Defaulted<number>
  briefed_at: Timestamp | null
  wanted_at: Timestamp | null
}

export interface MissTotalsTable {
  unit: string
  since: Timestamp
  prompts: number
  told: number
  searches: number
}

export interface ModelPartsTable {
  model: number
  nth: number
  part: Buffer
}

export interface ModelsTable {
  number: Defaulted<number>
  name: string
  dims: number
  learned: Defaulted<boolean>
  state: Defaulted<string>
  since: Defaulted<Timestamp>
  after: Defaulted<string>
  made_at: Defaulted<Timestamp>
  passages: Defaulted<number>
  checked: unknown | null
}

export interface MomentsTable {
  kind: string
  project: string
  item: string
  day: Defaulted<string>
  event_id: string
}

export interface MomentumCountsTable {
  project: string
  what: string
  n: number
}

export interface NotesTable {
  id: string
  project: string
  slug: string
  title: string
  description: Defaulted<string>
  body: string
  tags: Defaulted<string[]>
  source_url: Defaulted<string>
  model: Defaulted<string>
  favorite: Defaulted<boolean>
  path: string
  content_hash: string
  created_at: Timestamp
  updated_at: Timestamp
  uncut: Defaulted<boolean>
}

export interface PassageChangesTable {
  number: Defaulted<number>
  project: number
  passages: number
  length: number
  lexemes: string[]
  changes: number[]
}

export interface PassageQueueTable {
  kind: string
  id: string
  passages: number
  queued_at: Defaulted<Timestamp>
}

export interface PassageTotalsTable {
  project: number
  passages: number
  length: number
}

export interface PassagesTable {
  kind: string
  id: string
  chunk: number
  project: number
  active: boolean
  place: number
  size: number
  length: number
  normaliser: number
  hash: string
  words: string
}

export interface PlanSessionsTable {
  project: string
  plan: string
  session_id: string
}

export interface ProjectsTable {
  id: string
  slug: string
  name: string
  description: Defaulted<string>
  isolation: Defaulted<string>
  parent_slug: string | null
  retired_at: Timestamp | null
  favorite: Defaulted<boolean>
  created_at: Defaulted<Timestamp>
  updated_at: Defaulted<Timestamp>
  number: Defaulted<number>
}

export interface ProposalFilesTable {
  proposal_id: string
  path: string
  before: Buffer | null
  after: string | null
}

export interface ProposalsTable {
  id: string
  kind: string
  status: Defaulted<string>
  dedupe_key: string
  evidence_at: Timestamp
  projects: string[]
  items: string[]
  pass: Defaulted<string>
  plan: Defaulted<string>
  payload: unknown
  result: unknown | null
  created_at: Defaulted<Timestamp>
  resolved_at: Timestamp | null
  resolved_by: Defaulted<string>
}

export interface PulseTable {
  since: Timestamp
  session_id: string
  backend: number
  events: number
}

export interface ReposTable {
  place: string
  remote: boolean
  project: string
  sighted: Defaulted<boolean>
  created_at: Defaulted<Timestamp>
}

export interface SessionCountsTable {
  session_id: string
  slot: number
  calls: number
  failed: number
  prompts: number
  misses: number
  mishaps: number
  written: number
}

export interface SessionItemsTable {
  session_id: string
  item_id: string
  shown_at: Timestamp | null
  read_at: Timestamp | null
  last_shown_at: Timestamp | null
}

export interface SessionKeptTable {
  session_id: string
  created_at: Timestamp
  findings: boolean
  memories: Defaulted<number>
  notes: Defaulted<number>
  trials: Defaulted<number>
}

export interface SessionPlansTable {
  session_id: string
  basename: Defaulted<string>
  plan: Defaulted<string>
  status: Defaulted<string>
  pending_agents: Defaulted<string[]>
}

export interface SessionTotalsTable {
  project: string
  slot: number
  sessions: number
  tokens: number
}

export interface SessionsTable {
  id: string
  name: string
  project: Defaulted<string>
  status: Defaulted<string>
  findings: Defaulted<string>
  client_session_id: Defaulted<string>
  external_client: Defaulted<string>
  cwd: Defaulted<string>
  source: Defaulted<string>
  model: Defaulted<string>
  ambient: Defaulted<boolean>
  favorite: Defaulted<boolean>
  metadata: Defaulted<unknown>
  input_tokens: Defaulted<number>
  cached_tokens: Defaulted<number>
  cache_creation_tokens: Defaulted<number>
  output_tokens: Defaulted<number>
  created_at: Defaulted<Timestamp>
  updated_at: Defaulted<Timestamp>
  lab: Defaulted<string>
  process: Defaulted<string>
  announced_at: Defaulted<Timestamp>
  idle_minutes: number | null
  first_model: Defaulted<string>
  claimed_task: Defaulted<string>
  first_prompt: Defaulted<string>
  called: Generated<string>
}

export interface SettingsTable {
  key: string
  value: unknown
  updated_at: Defaulted<Timestamp>
}

export interface ShownLatelyTable {
  what: string
  key: string
  last_at: Timestamp
  hour: number
  day: number
  hours: number
  days: number
  new_hours: number
  new_days: number
}

export interface ShownMemoriesTable {
  unit: string
  since: Timestamp
  memory: number
  times: number
  tokens: number
  briefed: number
  sessions: number
}

export interface ShownSurfacesTable {
  unit: string
  since: Timestamp
  surface: string
  events: number
  items: number
}

export interface ShownTotalsTable {
  unit: string
  since: Timestamp
  slot: number
  injections: number
  tokens: number
  memories: number
  sessions: number
}

export interface StoreTable {
  one: Defaulted<boolean>
  id: string
  files_read_at: Timestamp | null
}

export interface TaskDepsTable {
  task_id: string
  depends_on: string
}

export interface TaskTotalsTable {
  project: string
  plan: string
  slot: number
  ready: number
  blocked: number
  in_progress: number
  done: number
  dropped: number
}

export interface TasksTable {
  id: string
  project: string
  title: string
  body: Defaulted<string>
  status: Defaulted<string>
  created_by: Defaulted<string>
  plan: Defaulted<string>
  claimed_by: Defaulted<string>
  claim_token: Defaulted<string>
  lease_expires_at: Timestamp | null
  paths: Defaulted<string[]>
  favorite: Defaulted<boolean>
  created_at: Defaulted<Timestamp>
  updated_at: Defaulted<Timestamp>
  closed_at: Timestamp | null
  depends_on_total: Defaulted<number>
  waits_for: Defaulted<number>
  blocked: Generated<boolean>
}

export interface ToldTable {
  session: string
  agent: string
  item: string
  version: string
  at: Defaulted<Timestamp>
}

export interface ToldSavingsTable {
  project: string
  slot: number
  items: number
  tokens: number
}

export interface TrialsTable {
  id: string
  project: string
  lab: string
  title: string
  changes: Defaulted<string>
  expected: Defaulted<string>
  actual: Defaulted<string>
  outcome: Defaulted<string>
  metrics: Defaulted<unknown>
  session_id: Defaulted<string>
  favorite: Defaulted<boolean>
  created_at: Defaulted<Timestamp>
}

export interface UntoldTable {
  number: Defaulted<number>
  ids: string[]
  times: Timestamp[]
}

export interface UntoldMemoriesTable {
  number: Defaulted<number>
  ids: string[]
}

export interface UseTotalsTable {
  project: string
  surface: string
  slot: number
  times: number
}

export interface VectorsTable {
  kind: string
  id: string
  chunk: number
  model: number
  project: number
  active: boolean
  made_at: Defaulted<Timestamp>
  hash: string
  e: string
  b: Generated<string>
}

export interface Tables {
  clock: ClockTable
  demand_starts: DemandStartsTable
  embedding_queue: EmbeddingQueueTable
  event_items: EventItemsTable
  events: EventsTable
  families: FamiliesTable
  files: FilesTable
  fold_queue: FoldQueueTable
  followers: FollowersTable
  gardener_marks: GardenerMarksTable
  gardener_runs: GardenerRunsTable
  hook_answers: HookAnswersTable
  hooks_heard: HooksHeardTable
  item_credits: ItemCreditsTable
  item_stats: ItemStatsTable
  item_uses: ItemUsesTable
  kept_totals: KeptTotalsTable
  leases: LeasesTable
  lexeme_stats: LexemeStatsTable
  lexeme_totals: LexemeTotalsTable
  links: LinksTable
  log_counts: LogCountsTable
  mcp_sessions: McpSessionsTable
  memories: MemoriesTable
  memory_reach: MemoryReachTable
  miss_totals: MissTotalsTable
  model_parts: ModelPartsTable
  models: ModelsTable
  moments: MomentsTable
  momentum_counts: MomentumCountsTable
  notes: NotesTable
  passage_changes: PassageChangesTable
  passage_queue: PassageQueueTable
  passage_totals: PassageTotalsTable
  passages: PassagesTable
  plan_sessions: PlanSessionsTable
  projects: ProjectsTable
  proposal_files: ProposalFilesTable
  proposals: ProposalsTable
  pulse: PulseTable
  repos: ReposTable
  session_counts: SessionCountsTable
  session_items: SessionItemsTable
  session_kept: SessionKeptTable
  session_plans: SessionPlansTable
  session_totals: SessionTotalsTable
  sessions: SessionsTable
  settings: SettingsTable
  shown_lately: ShownLatelyTable
  shown_memories: ShownMemoriesTable
  shown_surfaces: ShownSurfacesTable
  shown_totals: ShownTotalsTable
  store: StoreTable
  task_deps: TaskDepsTable
  task_totals: TaskTotalsTable
  tasks: TasksTable
  told: ToldTable
  told_savings: ToldSavingsTable
  trials: TrialsTable
  untold: UntoldTable
  untold_memories: UntoldMemoriesTable
  use_totals: UseTotalsTable
  vectors: VectorsTable
}
