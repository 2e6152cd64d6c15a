import Type, { type Static, type TSchema, type TSchemaOptions } from 'typebox'
import type { Form } from './forms.ts'

/** What a key has beside its type. */
interface Note extends TSchemaOptions {
  default: unknown
  /** A rule that a type cannot express; see forms.ts. */
  form?: Form
  /** No error, listing or log shows the value. */
  secret?: boolean
}

const text = (description: string, note: Note) => Type.String({ description, ...note })
const secret = (description: string) => text(description, { default: '', secret: true })
const flag = (description: string, value: boolean) => Type.Boolean({ description, default: value })
const whole = (description: string, value: number, minimum = 0, maximum = 1_000_000) =>
  Type.Integer({ description, default: value, minimum, maximum })
const share = (description: string, value: number) =>
  Type.Number({ description, default: value, minimum: 0, maximum: 1 })
const oneOf = <const Values extends string[]>(
  description: string,
  values: Values,
  value: Values[number],
) => Type.Enum(values, { description, default: value })
const list = <Item extends TSchema>(item: Item, description: string, note: Note) =>
  Type.Array(item, { description, ...note })

const provider = (base: string, model: string) => ({
  base_url: text(`the address of the provider; empty means ${base}`, { default: '', form: 'url' }),
  chat_model: text('the chat model', { default: model }),
})

/**
 * Every key of the configuration with its type, its default and its purpose.
 *
 * The file nests in the same way. The environment variable of a key is LOAM_ and its path in upper
 * snake. `npm run docs` writes docs/configuration.md from this schema.
 */
export const CONFIG = Type.Object({
  addr: text('the listening address, host:port; port 0 takes any free one', {
    default: '127.0.0.1:8420',
    form: 'address',
  }),
  base_url: text('the address of the service for other machines, when it is not `addr`', {
    default: '',
    form: 'service',
  }),
  allowed_hosts: list(
    Type.String({ minLength: 1 }),
    'further host names that a request may carry in Host and Origin, without a port',
    { default: [], form: 'hosts' },
  ),
  data_dir: text('the directory of everything: the markdown files and the embedded database', {
    default: './loam-data',
    form: 'path',
  }),
  mcp: Type.Object({
    api_key: secret(
      'the one key of the service. Without it, the first start generates one into `<data_dir>/api-key`. An empty key refuses every request',
    ),
  }),
  database: Type.Object({
    url: text('postgres://… of a server; empty means the embedded database in `data_dir`', {
      default: '',
      form: 'postgres',
      secret: true,
    }),
    listen_url: text('a URL past a transaction-mode pooler, for LISTEN; empty means `url`', {
      default: '',
      form: 'postgres',
      secret: true,
    }),
    pool: whole('the most connections to the database', 10, 1, 500),
  }),
  budgets: Type.Object({
    max_briefing_tokens: whole('length of a briefing, in tokens', 1500, 1),
    recall_budget_tokens: whole('length of a recall answer, in tokens', 1000, 1),
    tool_event_max_chars: whole(
      'characters of one argument kept in the event of a call; 0 keeps all',
      4000,
    ),
  }),
  briefing: Type.Object({
    constraint_max_full: whole('constraints shown in full; 0 shows all', 4),
    convention_max_full: whole('conventions shown in full; 0 shows all', 4),
    memory_max_age_days: whole('age in days after which memories leave the index; 0 is off', 0),
    memory_max_items: whole('memories in the index; 0 is no cap', 0),
    findings_count: whole('earlier findings shown; 0 hides them', 3),
    findings_max_age_days: whole('age in days after which findings do not appear; 0 is off', 0),
    ready_tasks_shown: whole('ready tasks shown; 0 hides them', 3),
    pending_plan_max_days: whole(
      'days for which a presented plan stays in the briefing; 0 is for ever',
      7,
    ),
    stage_unknown_max_age_days: whole(
      'days for which a stage without a state appears; 0 is for ever',
      7,
    ),
    hard_cap_multiplier: whole('hard cap, as a multiple of the budget; 0 means 2', 2, 0, 100),
    include_parent_memories: flag('whether memories of the parent project appear too', true),
    sibling_findings_count: whole('findings of the same family shown; 0 hides them', 2),
    include_sibling_memories: flag('whether memories of the same family appear too', false),
    utility_weight: share('share of utility in the order; 0 is pure recency', 0.4),
    utility_mode: oneOf('whether utility orders the briefing', ['auto', 'on', 'off'], 'auto'),
  }),
  features: Type.Object({
    research: flag('labs and trials', false),
    momentum: flag('momentum pages', false),
    gamification: flag('gamification', false),
  }),
  search: Type.Object({
    semantic_floor: share('similarity below which meaning finds nothing; 0 is off', 0.3),
  }),
  embeddings: Type.Object({
    provider: oneOf(
      'the provider that turns text into vectors; auto takes the one whose settings are complete, here or under llm, and else store, which learns from the passages of this store and needs nothing',
      ['auto', 'store', 'openai', 'ollama', 'off'],
      'auto',
    ),
    base_url: text('the address of the provider; any OpenAI-compatible server works', {
      default: '',
      form: 'url',
    }),
    api_key: secret('the key of the provider'),
    model: text('the model; empty means the usual one of the provider', { default: '' }),
    dims: whole('length of a vector; 0 means the length of the model', 0, 0, 4000),
  }),
  llm: Type.Object({
    provider: oneOf('the provider for chat', ['openai', 'ollama', 'anthropic'], 'openai'),
    openai: Type.Object({
      api_key: secret('the key of this provider'),
      ...provider('https://api.openai.com/v1', 'gpt-4o'),
    }),
    ollama: Type.Object(provider('http://127.0.0.1:11434', 'llama3.3:latest')),
    anthropic: Type.Object({
      api_key: secret('the key of this provider'),
      ...provider('https://api.anthropic.com', 'claude-sonnet-5'),
    }),
  }),
  gardener: Type.Object({
    enabled: flag('whether the gardener makes its rounds', true),
    interval_minutes: whole('minutes between two rounds', 60, 1),
    dedup_threshold: Type.Number({
      description: 'similarity from which two memories are proposed for merging',
      default: 0.88,
      exclusiveMinimum: 0,
      maximum: 1,
    }),
    staleness_days: whole('days without use after which a memory is stale', 90, 1),
    digest_days: whole('days that one digest covers', 30, 1),
    stale_plan_days: whole('days after which a quiet plan is proposed for closing; 0 is off', 14),
    stale_stage_days: whole('days after which a quiet stage is proposed for closing; 0 is off', 14),
  }),
  capture: Type.Object({
    allowed_ports: list(
      Type.Integer({ minimum: 1, maximum: 65_535 }),
      'ports that capture may reach; empty means the default, never all',
      { default: [80, 443], form: 'ports' },
    ),
    allowed_hosts: list(
      Type.String({ minLength: 1 }),
      'names of a local network that capture may look up, such as wiki.internal or *.corp.internal; their addresses must be public',
      { default: [], form: 'hosts' },
    ),
  }),
  plan_capture: Type.Object({
    enabled: flag('whether plans are captured from plan mode', true),
    auto_task: flag('whether an approved plan gets a task that tracks it', true),
    inject_related: flag('whether related knowledge is shown beside a plan', true),
  }),
  secrets: Type.Object({
    on_write: oneOf(
      'what becomes of text that looks like a credential: its writer is warned or refused; hooks and captured pages lose it, unless off',
      ['warn', 'refuse', 'off'],
      'warn',
    ),
  }),
  events: Type.Object({
    transport_retention_days: whole(
      'days for which calls, prompts and misses are stored; the service drops whole months',
      30,
      1,
    ),
  }),
  sessions: Type.Object({
    idle_minutes: whole('minutes of silence after which a session counts as idle', 45, 1),
    turn_idle_minutes: whole('the same for a session whose client has ended its turn', 10, 1),
    expire_minutes: whole('minutes of silence after which a session expires', 105, 1),
  }),
  console: Type.Object({
    timezone: text('time zone of days and hours in the console; empty means this machine’s', {
      default: '',
      form: 'timezone',
    }),
    editor_url: text('link that opens a file in an editor; {path} stands for the file', {
      default: '',
      form: 'editor',
    }),
  }),
  repo_project_map: Type.Record(Type.String(), Type.String(), {
    description: 'absolute path or git remote → project; stored entries override it',
    default: {},
    form: 'projects',
  }),
  project_families: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'family → its projects; stored entries override it',
    default: {},
    form: 'families',
  }),
  log: Type.Object({
    level: oneOf(
      'how much is logged',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'info',
    ),
  }),
})

/** The whole configuration, complete and checked. */
export type Config = Static<typeof CONFIG>
