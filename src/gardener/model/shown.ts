/** What a chat model is shown of the store: never more than the caller may read. */
import type { Kernel } from '../../kernel/kernel.ts'
import { scopeSql, wireProject, type Scope } from '../../projects/projects.ts'
import type { Brief } from '../payloads.ts'

/** Memories in one question. */
const MOST_SHOWN = 150

export interface ShownMemories {
  /** In the order of their numbers. The first one is number 1. */
  memories: Brief[]
  /** Why some are not among them, in words for the caller: at most one line. */
  leftOut: string[]
}

const memoriesIn = scopeSql<
  { source: string | null; all: boolean; most: number },
  Brief & { found: number }
>('gardener/shown_memories')

/** The active memories that the scope searches, of all projects, or of one alone; changed last, first. */
export async function shownMemories(
  kernel: Kernel,
  scope: Scope,
  { source, all = false }: { source?: string; all?: boolean },
): Promise<ShownMemories> {
  const most = MOST_SHOWN
  const rows = await memoriesIn(kernel.db, scope, { source: source ?? null, all, most })
  const memories = rows.map(briefOf)
  const found = rows[0]?.found ?? 0
  return { memories, leftOut: found > most ? [leaving(found)] : [] }
}

const briefOf = ({ id, name, project, kind, description }: Brief): Brief => ({
  id,
  name,
  project,
  kind,
  description,
})

const leaving = (found: number): string =>
  `the model was shown the ${MOST_SHOWN} memories that were changed last, and not the other ${found - MOST_SHOWN}`

const projectsOf = scopeSql<object, { slug: string }>('gardener/shown_projects')

/** Where the caller may move memories to, and where those that are shown lie. '' is the global scope. */
export async function shownProjects(
  kernel: Kernel,
  scope: Scope,
  memories: readonly Brief[],
): Promise<Set<string>> {
  const rows = await projectsOf(kernel.db, scope, {})
  return new Set([...rows.map(({ slug }) => slug), ...memories.map(({ project }) => project)])
}

/** What a prompt says of each memory. */
export const numbered = (memories: readonly Brief[]): object[] =>
  memories.map(({ name, project, kind, description }, index) => ({
    number: index + 1,
    name,
    project: wireProject(project),
    kind,
    description,
  }))

/** The memory of a number, or undefined when it is the number of none. */
export const numberedAs = (memories: readonly Brief[], number: unknown): Brief | undefined =>
  typeof number === 'number' ? memories[number - 1] : undefined
