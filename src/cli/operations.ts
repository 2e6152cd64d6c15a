import { sql } from 'kysely'
import type { App } from '../app.ts'
import {
  embeddingStatus,
  reembed,
  switchEmbeddings,
  tryEmbedder,
} from '../embeddings/embeddings.ts'
import { findFeatures, resetFeatures, switchFeatures } from '../features/features.ts'
import { invalid } from '../kernel/refusal.ts'
import { reconcile } from '../vault/reconcile.ts'
import { listProblems } from '../vault/register.ts'
import { catalog } from '../mcp/catalog.ts'
import { approveComposition, getPlan, listPlans, textsOfPlan } from '../plans/plans.ts'
import {
  addToFamily,
  listFamilies,
  listRepos,
  mapRepo,
  overviewProject,
  overviewProjects,
  parseProject,
  removeFromFamily,
  renameProject,
  setParent,
  setRetired,
} from '../projects/projects.ts'
import { copyTo } from './db-copy.ts'
import { exportStore } from './transfer/export.ts'
import { importFrom, type ImportOptions } from './transfer/import.ts'

/** Everything an operator's command can ask of the process that has the store open. */
export const OPERATIONS = {
  /** How the store is: whose it is, on which database, which files could not be indexed, whether the embedding provider answers, and which tools there are. */
  async status({ kernel, database }: App) {
    const engine = sql<{ version: string; schema: number }>`
      select current_setting('server_version') as version,
             (select max(number) from schema_migrations) as schema`
    const { rows } = await engine.execute(kernel.db)
    const problems = await listProblems(kernel.db)
    const { version = '', schema = 0 } = rows[0] ?? {}
    const { storeId: store } = kernel.vault
    const embeddings = await tryEmbedder(kernel)
    const { kind } = database
    const tools = catalog.map(({ name }) => name)
    const features = await findFeatures(kernel)
    return {
      pid: process.pid,
      store,
      database: { kind, version, schema },
      problems,
      embeddings,
      tools,
      features,
    }
  },

  /** Turns the switch of the embeddings, or has all vectors made again, and says how they are. */
  async embeddings({ kernel }: App, input: unknown) {
    const { act } = (input ?? {}) as { act?: unknown }
    if (act === 'auto' || act === 'off') await switchEmbeddings(kernel, act)
    else if (act === 'reembed') await reembed(kernel)
    else if (act !== 'status') throw invalid('embeddings: status, auto, off or reembed')
    return embeddingStatus(kernel)
  },

  /** Switches features, or clears the stored switches, and says what is on then. */
  async features({ kernel }: App, input: unknown) {
    const { switches, reset } = (input ?? {}) as { switches?: unknown; reset?: unknown }
    if (reset === true) await resetFeatures(kernel, 'operator')
    if (switches !== undefined) await switchFeatures(kernel, 'operator', booleans(switches))
    return { effective: await findFeatures(kernel), configured: kernel.config.features }
  },

  /** Rebuilds every derived row from the files. */
  reindex: ({ kernel, database }: App) =>
    database.unhurried(() => reconcile(kernel, { again: true })),

  /** Copies the database to an empty one. */
  copy({ kernel, database }: App, input: unknown) {
    const { to } = (input ?? {}) as { to?: unknown }
    if (typeof to !== 'string') throw invalid('db copy: --to must be the URL of a database')
    return database.unhurried(() => copyTo(kernel.db, to, kernel.log))
  },

  /** Writes the whole store into an empty folder. */
  export(house: App, input: unknown) {
    const { to } = (input ?? {}) as { to?: unknown }
    if (typeof to !== 'string') throw invalid('export: --to must be the path of a folder')
    return exportStore(house, to)
  },

  /** Brings in what another store, or a file of another make, knows. */
  import: (house: App, input: unknown) => importFrom(house, input as ImportOptions),

  /** Says to which project places belong. */
  async map({ kernel }: App, input: unknown) {
    const { project, places } = (input ?? {}) as { project?: unknown; places?: unknown }
    if (typeof project !== 'string') throw invalid('map-repo: --project must be a project slug')
    const mapped = []
    for (const place of texts(places)) mapped.push(await mapRepo(kernel, { place, project }))
    return mapped
  },

  /** Every place that is known, by place. */
  places: ({ kernel }: App) => listRepos(kernel),

  families: ({ kernel }: App) => listFamilies(kernel),
  join: ({ kernel }: App, input: unknown) => addToFamily(kernel, familyOf(input)),
  leave: ({ kernel }: App, input: unknown) => removeFromFamily(kernel, familyOf(input)),

  /** Every project with what it holds. */
  projects: ({ kernel }: App) => overviewProjects(kernel),
  project: ({ kernel }: App, input: unknown) => overviewProject(kernel, named(input, 'project')),
  renameProject: ({ kernel }: App, input: unknown) =>
    renameProject(kernel, named(input, 'project'), named(input, 'name')),
  parentProject({ kernel }: App, input: unknown) {
    const { parent } = input as { parent?: unknown }
    return setParent(
      kernel,
      named(input, 'project'),
      parent === null ? null : named(input, 'parent'),
    )
  },
  retireProject({ kernel }: App, input: unknown) {
    const { retired } = input as { retired?: unknown }
    return setRetired(kernel, named(input, 'project'), retired === true)
  },

  /** The plans that moved last. */
  plans({ kernel }: App, input: unknown) {
    const { window = 'all' } = (input ?? {}) as { window?: keyof typeof WINDOWS }
    if (!Object.hasOwn(WINDOWS, window)) {
      throw invalid(`window must be one of ${Object.keys(WINDOWS).join(', ')}`)
    }
    const [project, since] = [projectOf(input), WINDOWS[window]]
    return listPlans(kernel, {
      ...(project !== undefined && { project }),
      ...(since !== null && { since }),
    })
  },
  plan: ({ kernel }: App, input: unknown) =>
    getPlan(kernel, named(input, 'plan'), projectOf(input)),
  /** What the notes of a plan say, to be held against a repository that lies where the command runs. */
  planTexts: ({ kernel }: App, input: unknown) =>
    textsOfPlan(kernel, named(input, 'plan'), projectOf(input)),
  /** The owner agrees, as on the console. */
  approvePlan: ({ kernel }: App, input: unknown) =>
    approveComposition(kernel, named(input, 'plan'), projectOf(input), 'console'),
}

const WINDOWS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', all: null } as const

function named(input: unknown, key: string): string {
  const value = (input as Record<string, unknown> | null)?.[key]
  if (typeof value === 'string') return value
  throw invalid(`${key} is required`)
}

/** Undefined: in whichever there is one. */
function projectOf(input: unknown): string | undefined {
  const { project } = (input ?? {}) as { project?: unknown }
  return project === undefined ? undefined : parseProject(named(input, 'project'))
}

function familyOf(input: unknown): { family: string; projects: string[] } {
  const { family, projects } = (input ?? {}) as { family?: unknown; projects?: unknown }
  if (typeof family !== 'string') throw invalid('family: a name is required')
  return { family, projects: texts(projects) }
}

function booleans(object: unknown): Record<string, boolean> {
  const entries = typeof object === 'object' && object !== null ? Object.entries(object) : []
  if (entries.length > 0 && entries.every(([, on]) => typeof on === 'boolean')) {
    return Object.fromEntries(entries) as Record<string, boolean>
  }
  throw invalid('features: name at least one, each on or off')
}

function texts(list: unknown): string[] {
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list
  throw invalid('a list of texts is required')
}

export type Operation = keyof typeof OPERATIONS

export const isOperation = (name: string): name is Operation => Object.hasOwn(OPERATIONS, name)
