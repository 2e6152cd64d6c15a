/** Projects and families, and the places that lead to them. */
import {
  configuredRepos,
  isFenced,
  ISOLATION,
  listFamilies,
  type StandingFamily,
} from '../../projects/projects.ts'
import { once } from '../../kernel/once.ts'
import { slugify } from '../../text/slug.ts'
import type { ScreenApp } from '../screen.ts'
import { findOptionsOfFamilies, findProjectSlugs, findRoutes, findWorkspaces } from './queries.ts'

/** Projects of one page of the table. */
export const WORKSPACE_ROWS = 25
/** Families with a form of their own. */
const MOST_FAMILIES = 100
/** Projects that are offered as boxes to tick; further ones are typed. */
const MOST_BOXES = 40
/** Projects that the browser offers while one is typed. */
const MOST_NAMES = 500
const MOST_ROUTES = 200

/** Who may join a family. */
const OPEN = ISOLATION.filter((isolation) => !isFenced({ isolation }))

export interface FamilyOption {
  slug: string
  name?: string
  registered: boolean
  retired: boolean
  selected: boolean
}

export interface FamilyEditor {
  /** '' is that of a family to come. */
  name: string
  members: string[]
  options: FamilyOption[]
  from: StandingFamily['from']
  /** Whether the configuration file has one of that name, which comes back when this one ends. */
  configured: boolean
  /** What was typed into its form when that was refused; null: it was not. */
  typed: { name: string; more: string } | null
}

/** What a form held that was refused. */
type Typed = Readonly<Record<string, string>>

/** What the form of the family held, '' that of a family to come; null: it was not refused. */
function refusedOf(family: string, typed: Typed): { name: string; members: string[] } | null {
  const { name, members, original_name: original = '' } = typed
  if (original !== family || (name === undefined && members === undefined)) return null
  return { name: name ?? '', members: (members ?? '').split(',').filter(Boolean) }
}

export function registryOf(app: ScreenApp, pages: { projects: number }, typed: Typed) {
  const { kernel, owner } = app
  const { db, config } = kernel
  const families = once(() => listFamilies(kernel))
  const places = configuredRepos(config.repo_project_map)
  const configured = {
    places: places.map(({ place }) => place),
    mapped: places.map(({ project }) => project),
  }
  const names = once(() => findProjectSlugs(kernel, MOST_NAMES))
  const eligible = once(() =>
    findOptionsOfFamilies(db, owner, { levels: OPEN, chosen: [], most: MOST_BOXES }),
  )
  const workspaces = once(async () => {
    const inFile = (await families())
      .filter(({ from }) => from === 'file')
      .flatMap(({ family, projects }) => projects.map((project) => ({ family, project })))
    return findWorkspaces(db, owner, {
      ...configured,
      families: inFile.map(({ family }) => family),
      members: inFile.map(({ project }) => project),
      most: WORKSPACE_ROWS,
      skip: (pages.projects - 1) * WORKSPACE_ROWS,
    })
  })
  const unbound = once(() =>
    findRoutes(db, owner, { ...configured, unbound: true, most: MOST_ROUTES }),
  )
  const known = once(async () => {
    const members = (await families()).slice(0, MOST_FAMILIES).flatMap(({ projects }) => projects)
    const chosen = [...new Set(members)]
    const rows = await findOptionsOfFamilies(db, owner, { levels: [], chosen, most: chosen.length })
    return new Map(rows.map((row) => [row.slug, row]))
  })

  const editor = async ({ family, projects, from }: StandingFamily): Promise<FamilyEditor> => {
    const refused = refusedOf(family, typed)
    const selected = new Set(refused?.members ?? projects)
    const [open, members] = await Promise.all([eligible(), known()])
    const own = projects.map((slug) => ({
      registered: members.has(slug),
      ...members.get(slug),
      slug,
    }))
    const others = open.filter(({ slug }) => !projects.includes(slug))
    const options = [...own, ...others].map((one): FamilyOption => ({
      slug: one.slug,
      ...(one.name !== undefined && slugify(one.name) !== one.slug && { name: one.name }),
      registered: 'registered' in one ? one.registered : true,
      retired: one.retired ?? false,
      selected: selected.has(one.slug),
    }))
    const more = refused?.members.filter((slug) => !options.some((one) => one.slug === slug))
    return {
      ...{ name: family, members: projects, options, from },
      configured: Object.hasOwn(config.project_families, family),
      typed: refused && { name: refused.name, more: (more ?? []).join(', ') },
    }
  }

  return {
    families,
    names,
    unbound,
    workspaces,
    editors: once(async () => {
      const all = await families()
      return Promise.all(all.slice(0, MOST_FAMILIES).map(editor))
    }),
    /** Families beyond those that have a form. */
    more: async () => Math.max(0, (await families()).length - MOST_FAMILIES),
    fresh: once(() => editor({ family: '', projects: [], from: 'store' })),
    /** Whether there are projects that no box stands for. */
    types: async () => ((await eligible())[0]?.projects ?? 0) > MOST_BOXES,
    routes: () => findRoutes(db, owner, { ...configured, unbound: false, most: MOST_ROUTES }),
  }
}
