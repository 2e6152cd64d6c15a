/**
 * Which document a name means. Where Loam prints the name of a document of another project it prints
 * `project/name`, so every tool that takes a name takes that too.
 */
import type { Db, Kernel } from '../kernel/kernel.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { judge, parseProject, type Place, type Scopes } from '../projects/projects.ts'
import type { DocumentKind } from './kind.ts'
import { spelled, type Target } from './reach.ts'
import { findDocument } from './store.ts'

/** A name that begins with a project there is. */
export interface Reference {
  project: string
  name: string
  /** Whether the caller may read the project. */
  readable: boolean
}

/** Reads `project/name` for a caller. A name may hold a slash: without such a project it is a name. */
export async function readReference(
  db: Db,
  caller: Place,
  given: string,
): Promise<Reference | undefined> {
  const [, before = '', name = ''] = /^([^/]+)\/([^]+)$/.exec(given.trim()) ?? []
  const project = projectNamed(before)
  if (project === undefined || name.trim() === '') return undefined
  const { registered, readable } = await judge(db, caller, project)
  return registered || project === '' ? { project, name: name.trim(), readable } : undefined
}

function projectNamed(text: string): string | undefined {
  try {
    return parseProject(text)
  } catch {
    // It can be no project, so it is a part of the name.
    return undefined
  }
}

/**
 * Returns the document that a name means, in the project that the call asked for or infers. A reference is
 * judged and missed as if its project had been asked for; the project of both must be the same one.
 */
export async function namedTarget(
  kernel: Kernel,
  kind: DocumentKind,
  scopes: Pick<Scopes, 'caller' | 'read'>,
  name: string,
  asked?: string,
): Promise<Target> {
  const plain = async (): Promise<Target> => ({
    scope: await scopes.read(asked),
    address: { name },
  })
  const reference = await readReference(kernel.db, scopes.caller, name)
  if (!reference || (parseProject(asked) ?? reference.project) !== reference.project) return plain()

  const { project, readable } = reference
  const address = { name: reference.name }
  const inProject = async (): Promise<Target> => ({
    scope: await scopes.read(project === '' ? 'global' : project),
    address,
  })
  if (readable) {
    const target = await inProject()
    const found = await findDocument(kernel, kind, target.scope, spelled(kind, address), [project])
    // By its id: a name would mean one of the global scope before one of the project that has ended.
    if (found) return { scope: target.scope, address: { id: found.id } }
  }
  // A name of its own, with a slash as its writer spells it.
  const own = await plain().catch(refused)
  if (own) {
    const found = await findDocument(kernel, kind, own.scope, spelled(kind, own.address))
    if (found) return own
  }
  return inProject()
}

function refused(error: unknown): undefined {
  if (!asRefusal(error)) throw error
}
