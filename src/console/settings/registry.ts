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
import {
  countProjects,
  findOptionsOfFamilies,
  findProjectSlugs,
  findRoutes,
  findWorkspaces,
} from './queries.ts'

/** Projects of one page of the table. */
export const WORKSPACE_ROWS = 25
/** Projects that are offered as boxes to tick; further ones are typed. */
const MOST_BOXES = 40
/** Projects that the browser offers while one is typed. */
const MOST_NAMES = 500

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
  /**
   * What was typed into its form when that was refused; null: it was not. `gone`: the family for which it was typed,
   * which has no form any more; '' for none.
   */
  typed: { name: string; more: string; gone: string } | null
}

/** What a form held that was refused. */
type Typed = Readonly<Record<string, string>>

/**
 * What the form of a family held that was refused, and of which: '' is one to come. That of a family which has no
 * form any more stands in the form of one to come.
 */
function refusedOf({ name, members, original_name: original = '' }: Typed, shown: Set<string>) {
  if (name === undefined && members === undefined) return null
  const slugs = (members ?? '').split(',').map((slug) => slug.trim())
  return {
    of: shown.has(original) ? original : '',
    name: name ?? '',
    members: slugs.filter(Boolean),
    gone: shown.has(original) ? '' : original,
  }
}

interface Asked {
  /** Which page of the projects. */
  projects: number
  most: { families: number; routes: number }
}

export function registryOf(app: ScreenApp, { projects: page, most }: Asked, typed: Typed) {
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
      skip: (page - 1) * WORKSPACE_ROWS,
    })
  })
  const unbound = once(() =>
    findRoutes(db, owner, { ...configured, unbound: true, most: most.routes }),
  )
  const routes = once(() =>
    findRoutes(db, owner, { ...configured, unbound: false, most: most.routes }),
  )
  const known = once(async () => {
    const members = (await families()).slice(0, most.families).flatMap(({ projects }) => projects)
    const chosen = [...new Set(members)]
    const rows = await findOptionsOfFamilies(db, owner, { levels: [], chosen, most: chosen.length })
    return new Map(rows.map((row) => [row.slug, row]))
  })

  const refusedForm = once(async () => {
    const shown = (await families()).slice(0, most.families).map(({ family }) => family)
    return refusedOf(typed, new Set(shown))
  })

  const editor = async ({ family, projects, from }: StandingFamily): Promise<FamilyEditor> => {
    const form = await refusedForm()
    const refused = form?.of === family ? form : null
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
      typed: refused && { name: refused.name, more: (more ?? []).join(', '), gone: refused.gone },
    }
  }

  return {
    families,
    names,
    unbound,
    workspaces,
    editors: once(async () => {
      const all = await families()
      return Promise.all(all.slice(0, most.families).map(editor))
    }),
    /** Families beyond those that have a form. */
    more: async () => Math.max(0, (await families()).length - most.families),
    fresh: once(() => editor({ family: '', projects: [], from: 'store' })),
    /** Whether there are projects that no box stands for. */
    types: async () => ((await eligible())[0]?.projects ?? 0) > MOST_BOXES,
    routes,
    route_total: async () => (await routes())[0]?.places ?? 0,
    unbound_total: async () => (await unbound())[0]?.places ?? 0,
    workspace_total: once(() => countProjects(kernel)),
  }
}
