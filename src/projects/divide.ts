/** A project becomes several: they are made, joined to a family and given a parent, and the old one is retired. */
import { sql } from 'kysely'
import { newId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden, invalid } from '../kernel/refusal.ts'
import { addToFamily } from './families.ts'
import { projectPath, renderProject } from './file.ts'
import { isFenced } from './isolation.ts'
import type { Project } from './project.ts'
import { findProject, insertOwnProject } from './store.ts'
import { giveParent, retire } from './upkeep.ts'

export interface Division {
  source: string
  children: readonly NewPart[]
  /** What the children inherit from. */
  shared?: NewPart
  family: string
  retire: boolean
}

/** A project of the division: one that is there, or is made. */
export interface NewPart {
  slug: string
  /** Its name, when it is made. */
  label: string
}

export interface Divided {
  /** Slugs of those that were made. */
  created: string[]
  family: string
  /** Slugs of those that have a parent now. */
  parented: string[]
  retired: boolean
}

/** Moves nothing. A second time is a success. Refused when one of the projects is fenced, and over a file. */
export async function divideProject(
  kernel: Kernel,
  { source, children, shared, family, retire: retires }: Division,
): Promise<Divided> {
  const parts = [...children, ...(shared ? [shared] : [])]
  const paths = parts.map(({ slug }) => projectPath(slug))
  const { result } = await kernel.vault.write(kernel, paths, async (kernel, files) => {
    await mustBeThere(kernel.db, source)
    const made: Project[] = []
    for (const part of parts) {
      const there = await findProject(kernel.db, part.slug)
      if (there) refuseFenced(there)
      else {
        const path = projectPath(part.slug)
        if (await files.read(path))
          throw conflict(`${path} is there, and no project of it: mend it`)
        const project = newPart(newId(kernel.clock.now()), part)
        files.put(path, renderProject(project))
        made.push(project)
      }
    }
    const members = parts.map(({ slug }) => slug)
    const parented = shared ? children.map(({ slug }) => slug) : []
    return {
      result: { created: made.map(({ slug }) => slug), family, parented, retired: retires },
      async rows({ db }) {
        for (const project of made) {
          if (await insertOwnProject(db, project)) continue
          throw conflict(`project slug "${project.slug}" already exists`)
        }
      },
      async act(kernel) {
        await addToFamily(kernel, 'gardener', { family, projects: members })
        for (const child of parented) await giveParent(kernel.db, child, shared!.slug)
        if (retires) await retire(kernel.db, source, true)
      },
    }
  })
  return result
}

async function mustBeThere(db: Db, slug: string): Promise<void> {
  const source = await findProject(db, slug)
  if (!source) throw invalid(`there is no project ${JSON.stringify(slug)} to be split`)
  refuseFenced(source)
}

function refuseFenced(project: Project): void {
  if (!isFenced(project)) return
  throw forbidden(
    `project ${project.slug} is ${project.isolation}; a fenced project joins no split`,
  )
}

const newPart = (id: string, { slug, label }: NewPart): Project => ({
  ...{ id, slug, name: label || slug, description: '', isolation: 'open' },
})

/**
 * Takes the row of a project away that was registered for one thing only, once that is gone. What is in use by anything
 * else, or has a file, stays.
 */
export async function unregisterBare({ db }: Kernel, slug: string): Promise<void> {
  await sql`
    delete from projects p
    where p.slug = ${slug} and not p.favorite and p.parent_slug is null and p.retired_at is null
      and not exists (select from memories m where m.project = p.slug)
      and not exists (select from notes n where n.project = p.slug)
      and not exists (select from tasks t where t.project = p.slug)
      and not exists (select from trials t where t.project = p.slug)
      and not exists (select from sessions s where s.project = p.slug)
      and not exists (select from repos r where r.project = p.slug)
      and not exists (select from families f where f.project = p.slug)
      and not exists (select from projects c where c.parent_slug = p.slug)
      and not exists (select from files f where f.path = ${projectPath(slug)})`.execute(db)
}
