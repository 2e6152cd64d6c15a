/** What comes from one scope to another: memories of the global scope and of a parent, and what a family tells. */
import type { BriefingOptions } from '../../briefing/briefing.ts'
import { wireProject, type Family, type Isolation } from '../../projects/projects.ts'
import type { ScopeRow } from '../projects/scopes.ts'
import type { MayRead } from './queries.ts'

/** One way in which memories or findings come from one scope to another. */
export interface Flow {
  kind: 'global' | 'parent' | 'family'
  icon: string
  /** Who is at its other end. */
  label: string
  detail: string
  href: string | null
  /** Whether it runs: settings and fences allow it. */
  enabled: boolean
}

/** All that flows follow from. */
export interface Around {
  scopes: readonly ScopeRow[]
  known: ReadonlyMap<string, ScopeRow>
  children: ReadonlyMap<string, readonly ScopeRow[]>
  families: ReadonlyMap<string, readonly Family[]>
  options: BriefingOptions
  mayRead: MayRead
}

/** Of one scope no more of a kind are told one by one. */
const MOST_FLOWS = 24

export function incomingOf(row: ScopeRow, around: Around): Flow[] {
  const { slug, parent } = row
  if (slug === '') return []
  const hears = hearsGlobal(row, around)
  const global = memories(around.known.get('')?.memories ?? 0)
  return [
    flow('global', '', hears ? global : FENCED, hears),
    ...(parent === null ? [] : [inheritance(slug, parent, parent, around)]),
    ...some(kinOf(slug, around), (other) => kinship(slug, other, other, around)),
  ]
}

export function outgoingOf(row: ScopeRow, around: Around): Flow[] {
  const { slug } = row
  if (slug === '') return [publication(row, around)]
  const children = (around.children.get(slug) ?? []).map((child) => child.slug)
  return [
    ...some(children, (child) => inheritance(child, slug, child, around)),
    ...some(kinOf(slug, around), (other) => kinship(other, slug, other, around)),
  ]
}

export const hearsGlobal = ({ slug, isolation }: ScopeRow, { mayRead }: Around): boolean =>
  slug !== '' && mayRead(isolation, 'open')

/** The projects of the families of this one, in order. */
function kinOf(slug: string, { families }: Around): string[] {
  const all = (families.get(slug) ?? []).flatMap(({ projects }) => projects)
  return [...new Set(all)].filter((other) => other !== slug).toSorted()
}

export const memories = (n: number): string =>
  `${n.toLocaleString('en')} ${n === 1 ? 'memory' : 'memories'}`

export const focusHref = (slug: string): string =>
  `/console/context?scope=project&project=${encodeURIComponent(wireProject(slug))}`

const FENCED = 'a fence stands between'
const ICONS = { global: 'globe', parent: 'up', family: 'family' } as const

const flow = (kind: Flow['kind'], of: string, detail: string, enabled: boolean): Flow => ({
  ...{ kind, icon: ICONS[kind], label: wireProject(of), detail, enabled },
  href: focusHref(of),
})

/** The first of many, and how many more there are. */
function some(slugs: readonly string[], flowOf: (slug: string) => Flow): Flow[] {
  const flows = slugs.slice(0, MOST_FLOWS).map(flowOf)
  const more = slugs.length - flows.length
  if (more === 0) return flows
  return [...flows, { ...flows[0]!, label: `${more} more`, detail: 'likewise', href: null }]
}

function publication({ memories: own }: ScopeRow, around: Around): Flow {
  const all = around.scopes.filter(({ slug, retired }) => slug !== '' && retired === null)
  const hearing = all.filter((row) => hearsGlobal(row, around))
  const detail = `${memories(own)} to ${hearing.length} of ${all.length} projects`
  return { ...flow('global', '', detail, hearing.length > 0), label: 'every project', href: null }
}

/** What a child is told of its parent. @param named whom the flow names */
function inheritance(child: string, parent: string, named: string, around: Around): Flow {
  const { options, known } = around
  if (!mayTell(child, parent, around)) return flow('parent', named, FENCED, false)
  if (!options.include_parent_memories) {
    return flow('parent', named, 'switched off: briefing.include_parent_memories', false)
  }
  return flow('parent', named, memories(known.get(parent)?.memories ?? 0), true)
}

/** What one project is told of a sibling. @param named whom the flow names */
function kinship(to: string, from: string, named: string, around: Around): Flow {
  const { options, known } = around
  if (!mayTell(to, from, around)) return flow('family', named, FENCED, false)
  const { sibling_findings_count: findings, include_sibling_memories: tells } = options
  const parts = [
    ...(findings > 0 ? [`up to ${findings} ${findings === 1 ? 'finding' : 'findings'}`] : []),
    ...(tells ? [`${memories(known.get(from)?.memories ?? 0)}, no constraints and stages`] : []),
  ]
  return parts.length > 0
    ? flow('family', named, parts.join(', '), true)
    : flow('family', named, 'both channels are off', false)
}

/** Two projects tell each other only when each may read the other. */
function mayTell(one: string, other: string, { known, mayRead }: Around): boolean {
  const levelOf = (slug: string): Isolation => known.get(slug)?.isolation ?? 'open'
  return mayRead(levelOf(one), levelOf(other)) && mayRead(levelOf(other), levelOf(one))
}
