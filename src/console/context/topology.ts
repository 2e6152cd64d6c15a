/** Who is told what of whom: what each scope receives and publishes, and what is wrong with it. */
import { findOptions } from '../../briefing/briefing.ts'
import { listFamilies, wireProject, type Family } from '../../projects/projects.ts'
import { inTreeOrder, readScopes, roleOf, type ScopeRow } from '../projects/scopes.ts'
import type { ScreenApp } from '../screen.ts'
import { focusHref, hearsGlobal, incomingOf, memories, outgoingOf } from './flows.ts'
import type { Around, Flow } from './flows.ts'
import { isBriefingOverridden, readFences, readLineage, type LineageRow } from './queries.ts'

export interface ScopeCard {
  /** `global`, or the slug. */
  slug: string
  name: string
  description: string
  /** Its page; null of the global scope, which has none. */
  href: string | null
  focus_href: string
  role: string
  isolation: ScopeRow['isolation']
  registered: boolean
  retired: boolean
  local_memories: number
  global_memories: number
  parent_memories: number
  parent_slug: string | null
  incoming: Flow[]
  outgoing: Flow[]
  warnings: string[]
  families: string[]
}

export type Topology = NonNullable<Awaited<ReturnType<typeof topologyOf>>>

/** @param focus '' is the global scope; undefined: of all. Returns null when there is no such scope */
export async function topologyOf(app: ScreenApp, focus: string | undefined, page: number) {
  const { kernel, owner } = app
  const [scopes, families, options, overridden, lineage, mayRead] = await Promise.all([
    readScopes(app),
    listFamilies(kernel),
    findOptions(kernel),
    isBriefingOverridden(kernel.db),
    readLineage(kernel.db, owner),
    readFences(kernel.db, owner),
  ])
  const known = new Map(scopes.map((row) => [row.slug, row]))
  if (focus !== undefined && !known.has(focus)) return null
  const around: Around = {
    ...{ scopes, known, options, mayRead },
    children: Map.groupBy(
      scopes.filter(({ parent }) => parent !== null),
      ({ parent }) => parent!,
    ),
    families: byMember(families),
  }
  const order = inTreeOrder(scopes)
  const near = focus === undefined ? order : order.filter(isNear(focus, around))
  const skip = (page - 1) * PAGE_SCOPES
  const told = families.map((family) => familyOf(family, around))
  const lineages = lineagesOf(lineage, known)
  const warnings = [
    ...scopes.map((row) => warningsOf(row, around)),
    ...[...told, ...lineages].map((each) => each.warnings),
  ]
  const links = scopes.filter(({ parent }) => parent !== null).length
  return {
    scopes: order,
    projects: near.slice(skip, skip + PAGE_SCOPES).map((row) => cardOf(app, row, around)),
    more: Math.max(0, near.length - skip - PAGE_SCOPES),
    families: told.filter(({ members }) => focus === undefined || members.includes(focus)),
    lineages: lineages.filter(
      ({ source, destinations }) =>
        focus === undefined ||
        source === focus ||
        destinations.some(({ scope }) => scope === wireProject(focus)),
    ),
    rules: {
      global_memories: known.get('')?.memories ?? 0,
      global_targets: scopes.filter((row) => !row.retired && hearsGlobal(row, around)).length,
      parent_enabled: options.include_parent_memories,
      parent_links: links,
      sibling_findings: options.sibling_findings_count,
      sibling_memories: options.include_sibling_memories,
      briefing_overridden: overridden,
    },
    summary: {
      scopes: scopes.length,
      parent_links: links,
      families: families.length,
      lineages: lineages.length,
      warnings: warnings.reduce((n, some) => n + some.length, 0),
    },
  }
}

/** As many scopes are told at once. */
const PAGE_SCOPES = 60

function byMember(families: readonly Family[]): ReadonlyMap<string, Family[]> {
  const of = new Map<string, Family[]>()
  for (const family of families) {
    for (const slug of family.projects) of.set(slug, [...(of.get(slug) ?? []), family])
  }
  return of
}

/** The scope itself, and those that tell it something or are told by it. */
function isNear(focus: string, around: Around): (row: ScopeRow) => boolean {
  const own = around.known.get(focus)!
  const near = new Set([
    ...['', focus, own.parent],
    ...(around.children.get(focus) ?? []).map(({ slug }) => slug),
    ...(around.families.get(focus) ?? []).flatMap(({ projects }) => projects),
  ])
  return ({ slug }) => near.has(slug)
}

function cardOf({ links }: ScreenApp, row: ScopeRow, around: Around): ScopeCard {
  const { slug } = row
  return {
    slug: wireProject(slug),
    name: row.name || wireProject(slug),
    description: row.description,
    href: slug === '' ? null : links.to('project', slug),
    focus_href: focusHref(slug),
    role: roleOf(row),
    isolation: row.isolation,
    registered: row.registered,
    retired: row.retired !== null,
    local_memories: row.memories,
    global_memories: hearsGlobal(row, around) ? (around.known.get('')?.memories ?? 0) : 0,
    parent_memories: row.inherited,
    parent_slug: row.parent,
    incoming: incomingOf(row, around),
    outgoing: outgoingOf(row, around),
    warnings: warningsOf(row, around),
    families: (around.families.get(slug) ?? []).map(({ family }) => family),
  }
}

function warningsOf(row: ScopeRow, { known, families, options }: Around): string[] {
  const { slug, parent } = row
  if (slug === '') return []
  const above = parent === null ? undefined : known.get(parent)
  const isSilent = options.sibling_findings_count === 0 && !options.include_sibling_memories
  return [
    ...(row.registered ? [] : ['It is not registered: nobody created this project.']),
    ...(parent === slug ? ['It is its own parent.'] : []),
    ...(parent !== null && !above?.registered ? [`Its parent ${parent} is not registered.`] : []),
    ...(above?.retired ? [`Its parent ${parent} is out of use.`] : []),
    ...(families.has(slug) && isSilent ? ['Both channels of its family are off.'] : []),
    ...(row.retired && row.memories > 0
      ? [`It is out of use and still has ${memories(row.memories)}.`]
      : []),
  ]
}

function familyOf({ family, projects }: Family, { known, options }: Around) {
  const { sibling_findings_count: findings, include_sibling_memories: tells } = options
  return {
    name: family,
    members: projects,
    findings_enabled: findings > 0,
    findings_count: findings,
    memories_enabled: tells,
    warnings: [
      ...(projects.length < 2 ? ['A family of one has nobody to tell.'] : []),
      ...projects.flatMap((slug) => {
        const row = known.get(slug)
        if (!row?.registered) return [`${slug} is not registered.`]
        return row.retired ? [`${slug} is out of use.`] : []
      }),
    ],
  }
}

function lineagesOf(rows: readonly LineageRow[], known: ReadonlyMap<string, ScopeRow>) {
  return [...Map.groupBy(rows, ({ source }) => source)].map(([source, of]) => {
    const destinations = of.flatMap(({ scope, moves }) => (scope === null ? [] : { scope, moves }))
    return {
      source,
      retired_at: of[0]!.retired_at,
      moves: destinations.reduce((n, { moves }) => n + moves, 0),
      destinations,
      warnings: destinations
        .filter(({ scope }) => scope !== 'global' && !known.has(scope))
        .map(({ scope }) => `${scope}, where some went, is unknown.`),
    }
  })
}
