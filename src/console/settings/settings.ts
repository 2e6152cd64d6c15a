/** How the service runs, and the few things that its owner sets while it does. */
import Type from 'typebox'
import { BRIEFING, findOptions, overridesOf } from '../../briefing/briefing.ts'
import { countDemand, utilityReadiness } from '../../demand/demand.ts'
import { isEmbedding } from '../../embeddings/embeddings.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { once } from '../../kernel/once.ts'
import { findSetting } from '../../kernel/settings.ts'
import { wireProject } from '../../projects/projects.ts'
import { slugify } from '../../text/slug.ts'
import { connectCommand, operatorCommand } from '../first-run.ts'
import { Choice, Narrowing, PageNumber } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { typedOf } from '../typed.ts'
import { fieldsOf } from './briefing.ts'
import { clientsOf } from './clients.ts'
import { configurationOf } from './configuration.ts'
import { cardsOf, featureKeys, featuresOf, mintedBy } from './features.ts'
import { marksOf } from './index-marks.ts'
import { kept, LARGE } from './kept.ts'
import { CUT_LISTS, limitsOf, pagerOf } from './limits.ts'
import { findSize } from './queries.ts'
import { registryOf, WORKSPACE_ROWS } from './registry.ts'
import { semanticOf, vectorsOf } from './semantic.ts'
import { measureDatabase, storageOf } from './storage.ts'
import { SCOPE_ROWS, shownScope, UTILITY_READY, utilityRow } from './utility.ts'
import {
  editFamily,
  endFamily,
  forgetBriefing,
  forgetFeatures,
  saveBriefing,
  saveFeatures,
} from './writes.ts'

const Query = Type.Object({
  /** Of the scopes of the utility table. */
  scopes: PageNumber,
  /** Of the registered projects. */
  projects: PageNumber,
  /** Which keys of the configuration are shown: those that somebody set, or all. */
  keys: Choice(['set', 'all']),
  /** Which of the lists that are cut is shown in full. */
  whole: Narrowing(CUT_LISTS),
})

const MOMENTS = ['trial.recorded', ...featureKeys.flatMap(mintedBy)]
const FAMILIES = ['settings.families_changed', 'gardener.action']
/** Hooks that every client has and that come often: a narrow window shows these. */
const OFTEN = ['session-start', 'user-prompt-submit', 'subagent-start', 'stop', 'session-end']
const PROGRESS_SECONDS = 5
const REST_SECONDS = 60

export const settings = defineScreen({
  section: 'settings',
  nav: { group: 'Tend', label: 'Settings', key: ',' },
  surfaces: [
    {
      feature: 'momentum',
      label: 'When the order by utility was unlocked',
      owns: ['witnessed'],
    },
  ],
  writes: [saveBriefing, forgetBriefing, saveFeatures, forgetFeatures, editFamily, endFamily],

  async routes(app) {
    const vectors = kept(() => vectorsOf(app))
    const demand = kept(() => countDemand(app.kernel.db))
    const database = kept(() => measureDatabase(app))

    app.get('', { schema: { querystring: Query } }, async (request, reply) => {
      const { query } = request
      const { kernel, owner } = app
      const { config } = kernel
      const typed = typedOf(query)
      const size = once(async () => (await findSize(kernel.db, owner, {}))[0]!)
      const counted = once(async () => vectors((await size()).passages > LARGE))
      const semantic = semanticOf(app, counted)
      const most = limitsOf(query.whole)
      const storage = storageOf(app, most, async () => database((await size()).passages > LARGE))
      const clients = clientsOf(app, most)
      const registry = registryOf(app, { projects: query.projects, most }, typed)
      const features = once(() => featuresOf(app))
      const cards = once(async () => cardsOf(app, await features(), typed))
      const options = once(() => findOptions(kernel))
      const over = once(async () => overridesOf(kernel, await findSetting(kernel.db, BRIEFING)))
      const scopes = once(async () => {
        const { value } = await demand((await size()).asked > LARGE)
        return utilityReadiness(kernel.db, value)
      })
      const configuration = once(async () =>
        configurationOf(app, {
          ...prefixed('briefing', await over()),
          ...prefixed('features', (await features()).chosen),
        }),
      )
      const from = (query.scopes - 1) * SCOPE_ROWS
      const shownScopes = async () => (await scopes()).slice(from, from + SCOPE_ROWS)

      return reply.page('page', {
        title: 'Settings',
        data: {
          data_dir: config.data_dir,
          config_file: app.service.configured.file ?? null,
          budgets: config.budgets,
          gardener: config.gardener,
          configuration,
          briefing: options,
          briefing_overridden: async () => Object.keys(await over()).length > 0,
          features: async () => (await cards()).map(({ card }) => card),
          features_config: config.features,
          features_overridden: async () => (await features()).overridden,
          embeddings: semantic.embeddings,
          database: storage.database,
          disk: storage.disk,
          files: storage.files,
          utility_rows: async () => (await shownScopes()).map(utilityRow),
          utility_total: async () => (await scopes()).length,
          utility_ready: UTILITY_READY,
          witnessed: async () =>
            (await scopes()).flatMap(({ project, readyAt }) =>
              readyAt === null ? [] : { project: wireProject(project), ready_at: readyAt },
            ),
          clients: clients.clients,
          client_total: clients.client_total,
          connections: clients.connections,
          connection_total: clients.connection_total,
          projects: registry.names,
          repo_map: async () =>
            (await registry.routes()).map(({ place, project }) => ({ repo: place, project })),
          repo_total: registry.route_total,
          families: async () =>
            (await registry.families()).map(({ family, projects, from }) => ({
              ...{ name: family, members: projects, from },
            })),
          workspaces: async () => (await registry.workspaces()).map(workspaceOf),
          workspace_total: registry.workspace_total,
          unbound_repos: async () =>
            (await registry.unbound()).map(({ place, project }) => ({ repo: place, project })),
          unbound_total: registry.unbound_total,
          family_editors: async () =>
            (await registry.editors()).map(({ name, members, options }) => ({
              ...{ name, members, options },
            })),
          family_options: async () => (await registry.fresh()).options,
        },
        only: {
          cards,
          groups: async () => fieldsOf(app, await options(), await over(), typed),
          options,
          scope_pager: async () => pagerOf(query.scopes, (await scopes()).length, SCOPE_ROWS),
          project_pager: async () =>
            pagerOf(query.projects, await registry.workspace_total(), WORKSPACE_ROWS),
          commands: () => commandsOf(kernel),
          figures: semantic.figures,
          trouble: semantic.trouble,
          counted_at: semantic.counted_at,
          change: semantic.change,
          learned: semantic.learned,
          checked: semantic.checked,
          workspace_rows: async () =>
            (await registry.workspaces()).map((row) => ({
              ...workspaceOf(row),
              called: slugify(row.name) === row.slug ? '' : row.name,
            })),
          scope_rows: async () => (await shownScopes()).map((row) => shownScope(row, typed)),
          hooks: app.service.hooks.map((hook) => ({
            ...{ label: hook.replaceAll('-', ' '), wide: !OFTEN.includes(hook) },
          })),
          editors: registry.editors,
          more_families: registry.more,
          fresh: registry.fresh,
          types: registry.types,
          names: registry.names,
          unbound: registry.unbound,
          shown_keys: async () =>
            (await configuration()).filter((key) => query.keys === 'all' || isChanged(key)),
          key_count: async () => (await configuration()).length,
          all_keys: query.keys === 'all',
          marks: () => marksOf({ features, over, semantic, storage, clients }),
        },
        live: {
          parts: {
            index: [...FAMILIES, ...MOMENTS, { every: REST_SECONDS }],
            features: MOMENTS,
            briefing: ['settings.briefing_changed'],
            utility: ['settings.briefing_changed', 'gardener.action', { every: 300 }],
            families: FAMILIES,
            projects: [...FAMILIES, 'session.started', 'repo.moved'],
            clients: ['session.*', { every: REST_SECONDS }],
            'semantic-index': [
              ...['memory.*', 'note.written', 'task.transition'],
              { every: (await isEmbedding(kernel.db)) ? PROGRESS_SECONDS : REST_SECONDS },
            ],
            storage: [{ every: 300 }],
            files: ['memory.*', 'note.written', { every: 30 }],
            configuration: ['settings.briefing_changed'],
          },
        },
      })
    })
  },
})

/** What the owner can say in a shell to what the page shows. */
async function commandsOf(kernel: Kernel) {
  const [connect, mapRepo, reembed, auto, off] = await Promise.all([
    connectCommand(kernel),
    operatorCommand(kernel, 'map-repo --project <slug> --path <place>'),
    ...['reembed', 'auto', 'off'].map((word) => operatorCommand(kernel, `embeddings ${word}`)),
  ])
  return { connect, map_repo: mapRepo, reembed, auto, off }
}

const isChanged = ({ source }: { source: string }): boolean => source !== 'default'

const prefixed = (section: string, values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]))

type Workspace = Awaited<ReturnType<ReturnType<typeof registryOf>['workspaces']>>[number]

const workspaceOf = (row: Workspace) => ({
  ...{ slug: row.slug, name: row.name, isolation: row.isolation, registered: row.registered },
  ...(row.description !== '' && { description: row.description }),
  ...(row.parent !== null && { parent: row.parent }),
  ...(row.retired !== null && { retired: row.retired }),
  ...{ families: row.families, repos: row.repos, places: row.places },
})
