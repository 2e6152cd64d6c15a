/** The first day: projects with their fences, kin and repositories, and what is switched on. */
import { switchFeatures } from '../../features/features.ts'
import {
  addToFamily,
  createProject,
  GLOBAL,
  mapRepo,
  setParent,
  setRetired,
} from '../../projects/projects.ts'
import type { DemoHouse } from './house.ts'
import {
  checkoutOf,
  families,
  projects,
  remoteOf,
  RETIRED,
  type DemoProject,
} from './story/projects.ts'

export async function settle(world: DemoHouse, features: readonly string[]): Promise<void> {
  const { kernel } = world.house
  await switchFeatures(
    kernel,
    'owner',
    Object.fromEntries(features.map((feature) => [feature, true])),
  )
  for (const project of projects) await found(world, project)
  for (const { slug, parent } of projects) {
    if (!parent) continue
    await setParent(kernel, slug, parent)
    accountOf(world, slug).parent = parent
  }
  for (const [family, members] of Object.entries(families)) {
    await addToFamily(kernel, 'operator', { family, projects: members })
    for (const slug of members) accountOf(world, slug).families.push(family)
  }
}

/** Makes a project that has its repository. */
export async function found(
  { house: { kernel }, ledger }: DemoHouse,
  { slug, name, description, isolation }: Omit<DemoProject, 'weight' | 'parent'>,
): Promise<void> {
  await createProject(kernel, GLOBAL, { slug, name, description, isolation })
  await mapRepo(kernel, { place: checkoutOf(slug), project: slug })
  await mapRepo(kernel, { place: remoteOf(slug), project: slug })
  ledger.projects.push({ slug, isolation, parent: null, families: [], retired: false })
}

const accountOf = ({ ledger }: DemoHouse, slug: string) =>
  ledger.projects.find((project) => project.slug === slug)!

/** A project goes out of use; what was learned there stays. */
export async function retire(world: DemoHouse): Promise<void> {
  await setRetired(world.house.kernel, RETIRED, true)
  accountOf(world, RETIRED).retired = true
}
