import { findFeatures } from '../../features/features.ts'
import type { ItemKind } from '../../passages/passages.ts'
import { MATCHES, ownerSearch, type OwnersHit } from '../../recall/recall.ts'
import { choice, onlyKnown, text, type ConsoleRoutes } from '../page.ts'
import { findProjects } from './queries.ts'

const SCOPES = ['all', 'memories', 'notes', 'tasks', 'trials', 'projects', 'sessions'] as const
const MOST = 200
/** Shorter questions are not asked. */
const LEAST = 2

/** A row of a group, as JSON has it. */
export interface Row {
  kind: string
  id: string
  title: string
  /** The slug. */
  identifier: string
  /** Null stands for the global scope. */
  project: string | null
  age?: string
  description: string
  favorite?: true
  href: string
  /** Where the fragment is that shows it beside the list; left out when there is none. */
  peek?: string
  /** How near its meaning is, from 1 to 100; left out when meaning did not find it. */
  similarity?: number
  /** When it is called what was asked. */
  matchKind?: (typeof MATCHES)[number]
}

/** What is searched by words and meaning, in the order of the groups. */
const ITEMS = {
  memories: { kind: 'memory', label: 'Memories' },
  notes: { kind: 'note', label: 'Notes' },
  tasks: { kind: 'task', label: 'Tasks' },
  trials: { kind: 'trial', label: 'Trials' },
  sessions: { kind: 'session', label: 'Sessions' },
} as const satisfies Partial<Record<(typeof SCOPES)[number], { kind: ItemKind; label: string }>>

/** One question over everything there is. The palette asks the same address, for JSON. */
export const searchConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app

  app.get('/search', async (request, reply) => {
    onlyKnown(request, ['q', 'scope', 'fast'])
    const query = text(request, 'q', MOST)
    const { research } = await findFeatures(kernel)
    const scopes = SCOPES.filter((one) => research || one !== 'trials')
    const scope = choice(request, 'scope', scopes)
    const fast = choice(request, 'fast', ['', '1']) === '1'
    const limit = fast ? 5 : 20
    const wants = (one: (typeof SCOPES)[number]) =>
      query.length >= LEAST && scopes.includes(one) && (scope === 'all' || scope === one)
    const sought = Object.entries(ITEMS).filter(([one]) => wants(one as keyof typeof ITEMS))
    const kinds = sought.map(([, { kind }]) => kind)
    const [hits, projects] = await Promise.all([
      kinds.length > 0 ? ownerSearch(kernel, { query, kinds, limit, fast }) : [],
      wants('projects') ? findProjects(kernel.db, query, limit) : [],
    ])
    const rows = hits.map(rowOf)
    const found = sought.map(([, { kind, label }]) => groupOf(kind, label, rows))
    const sessions = found.findIndex(({ kind }) => kind === 'session')
    found.splice(
      sessions === -1 ? found.length : sessions,
      0,
      groupOf('project', 'Projects', projects),
    )
    const groups = promoted(found.filter(({ count }) => count > 0))
    const capped = groups.some(({ count }) => count === limit)
    const total = groups.reduce((sum, { count }) => sum + count, 0)
    return reply.page(
      'search/results',
      query === '' ? 'Search' : `Search: ${query}`,
      { query, scope, fast, total, groups },
      { scopes, idle: query.length < LEAST, capped },
    )
  })
}

interface Group {
  kind: string
  label: string
  count: number
  rows: Row[]
}

function groupOf(kind: string, label: string, all: readonly Row[]): Group {
  const rows = all.filter((row) => row.kind === kind)
  return { kind, label, count: rows.length, rows }
}

/** The group with what is called so most nearly goes to the front; the others keep their order. */
function promoted(groups: readonly Group[]): Group[] {
  const strengths = groups.map(strength)
  const strongest = strengths.indexOf(Math.min(...strengths))
  return [...groups.slice(strongest, strongest + 1), ...groups.filter((_, i) => i !== strongest)]
}

const strength = ({ rows }: Group): number =>
  Math.min(
    ...rows.map(({ matchKind }) => (matchKind ? MATCHES.indexOf(matchKind) : MATCHES.length)),
  )

/** Where an item is read; what has no page of its own is found by its name. */
const PAGES: Partial<Record<ItemKind, string>> = { note: 'notes', session: 'sessions' }

/** Kinds whose name is that of what they belong to. */
const NAMELESS: readonly ItemKind[] = ['task', 'trial']

function rowOf({ kind, id, name, title, project, age, description, ...hit }: OwnersHit): Row {
  const page = PAGES[kind]
  const asked = new URLSearchParams({
    q: NAMELESS.includes(kind) ? title : name,
    scope: scopeOf(kind),
  })
  const href = page ? `/console/${page}/${id}` : `/console/search?${asked.toString()}`
  return {
    kind,
    id,
    title,
    identifier: name,
    project: project ?? null,
    age,
    description: hit.status ? `${hit.status}${description && `: ${description}`}` : description,
    ...(hit.favorite && { favorite: hit.favorite }),
    href,
    ...(page && { peek: `${href}?peek=1` }),
    ...(hit.similarity !== undefined && { similarity: percent(hit.similarity) }),
    ...(hit.match && { matchKind: hit.match }),
  }
}

const scopeOf = (kind: ItemKind): string =>
  Object.entries(ITEMS).find(([, item]) => item.kind === kind)?.[0] ?? 'all'

const percent = (similarity: number): number =>
  Math.min(100, Math.max(1, Math.round(100 * similarity)))
