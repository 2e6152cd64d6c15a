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
import { checkoutOf, families, projects, remoteOf, RETIRED } from './story/projects.ts'

export async function settle({ house: { kernel }, ledger }: DemoHouse): Promise<void> {
  await switchFeatures(kernel, 'owner', { research: true })
  for (const { slug, name, description, isolation } of projects) {
    await createProject(kernel, GLOBAL, { slug, name, description, isolation })
    await mapRepo(kernel, { place: checkoutOf(slug), project: slug })
    await mapRepo(kernel, { place: remoteOf(slug), project: slug })
  }
  for (const { slug, parent } of projects) if (parent) await setParent(kernel, slug, parent)
  for (const [family, members] of Object.entries(families)) {
    await addToFamily(kernel, { family, projects: members })
  }
  for (const { slug, isolation, parent = null } of projects) {
    const own = Object.entries(families).filter(([, members]) => members.includes(slug))
    ledger.projects.push({
      slug,
      isolation,
      parent,
      families: own.map(([family]) => family),
      retired: false,
    })
  }
}

/** A project goes out of use; what was learned there stays. */
export async function retire({ house: { kernel }, ledger }: DemoHouse): Promise<void> {
  await setRetired(kernel, RETIRED, true)
  ledger.projects.find(({ slug }) => slug === RETIRED)!.retired = true
}
