/** One project: what it is and what surrounds it, and the part of its page that is open. */
import { listFamilies, placesOf, wireProject } from '../../projects/projects.ts'
import { once } from '../../kernel/once.ts'
import { mapOf } from '../context/map.ts'
import { previewsOf } from '../context/preview.ts'
import { readLineage } from '../context/queries.ts'
import { topologyOf } from '../context/topology.ts'
import { linkQuery } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { WINDOWS } from '../windows.ts'
import { interactionsTab } from './lately.ts'
import { memoriesTab, notesTab, sessionsTab } from './lists.ts'
import { overviewTab } from './overview.ts'
import { childrenOf } from './queries.ts'
import { projectRows, withStages, type Row } from './rows.ts'
import {
  headOf,
  hereOf,
  moreOf,
  One,
  pageOf,
  tabHref,
  tabLinks,
  type Tab,
  type TabView,
} from './tabs.ts'
import { workTab } from './work.ts'

/** Returns undefined when neither the register nor anything that is kept knows the slug. The global scope has no page. */
export async function projectOf(app: ScreenApp, slug: string, query: One) {
  const rows = wireProject('') === slug ? [] : await projectRows(app, query.w, slug)
  const [row] = (await withStages(app, rows)).values()
  if (!row) return undefined
  const around = await surroundingsOf(app, row)
  const { tab, w } = query
  const { data, only } = await VIEWS[tab](app, row, query)
  const shown = { ...row, ...around }
  return {
    row,
    data: { ...shown, tab, window: w, window_label: WINDOWS[w].label, ...data },
    only: {
      project: { ...shown, href: tabHref(slug, 'overview', { w }), here: hereOf(slug, query) },
      tabs: tabLinks(slug, tab, w, {
        tasks: row.open_tasks,
        sessions: row.sessions,
        memories: row.memories,
        notes: row.notes,
      }),
      narrowing: headOf(slug, query),
      ...only,
    },
  }
}

type TabOf = (app: ScreenApp, row: Row, query: One) => TabView | Promise<TabView>
const VIEWS: Record<Tab, TabOf> = {
  overview: overviewTab,
  tasks: workTab,
  sessions: sessionsTab,
  memories: memoriesTab,
  notes: notesTab,
  interactions: interactionsTab,
  context: contextTab,
}

async function surroundingsOf({ kernel, owner }: ScreenApp, { slug, retired }: Row) {
  const { db } = kernel
  const [children, families, places, lineage] = await Promise.all([
    childrenOf(db, owner, slug),
    listFamilies(kernel),
    placesOf(kernel, slug),
    retired ? readLineage(db, owner, slug) : [],
  ])
  return {
    children,
    families: families
      .filter(({ projects }) => projects.includes(slug))
      .map(({ family, projects }) => ({
        name: family,
        members: projects.filter((other) => other !== slug),
      })),
    places: places.map(({ place, remote }) => ({ place, remote })),
    ...(retired && {
      lineage: lineage.flatMap(({ scope, moves }) => (scope === null ? [] : [{ scope, moves }])),
    }),
  }
}

function contextTab(app: ScreenApp, { slug }: Row, query: One): TabView {
  const { page } = query
  const topology = once(async () => (await topologyOf(app, slug, page))!)
  const asked = { scope: 'project', project: slug, client: undefined, prompt: '', page } as const
  const preview = once(() => previewsOf(app, slug, asked))
  return {
    data: {
      context: async () => (await topology()).projects,
      more: async () => moreOf(await topology()),
      preview,
    },
    only: {
      context: async () => {
        const { rules, projects, families, lineages } = await topology()
        return { rules, projects, families, lineages, map: mapOf(await topology()) }
      },
      pages: async () => {
        const { more } = await topology()
        return { base: pageOf(slug), query: linkQuery(One, query), page, more }
      },
    },
  }
}
