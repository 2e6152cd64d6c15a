/** Which project the words of a request mean. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { judge, parseProject, wireProject } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import { cut } from '../../../text/text.ts'
import { plainName, type Within } from '../meant.ts'

/**
 * Returns the slug of a project that is there and that the caller may read, '' for the global scope; undefined
 * when none is meant. "this project" is the one of the request.
 */
export async function projectMeant(
  kernel: Kernel,
  { scope, all }: Within,
  said: string,
): Promise<string | undefined> {
  if (/^(?:this|here|(?:this|the|my|our) project)$/i.test(said)) {
    return all ? undefined : scope.project
  }
  const name = bare(said)
  if (/^(?:global|global scope|_global)$/i.test(name)) return ''
  for (const slug of new Set([name, slugify(name)])) {
    const { registered, readable } = await judgeSlug(kernel, scope.caller, slug)
    if (registered && readable) return slug
  }
  return undefined
}

async function judgeSlug(
  { db }: Kernel,
  caller: Parameters<typeof judge>[1],
  asked: string,
): Promise<{ registered: boolean; readable: boolean }> {
  try {
    const slug = parseProject(asked)
    if (slug) return await judge(db, caller, slug)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return { registered: false, readable: false }
}

const bare = (said: string): string =>
  plainName(said)
    .replace(/^the /i, '')
    .replace(/^project /i, '')
    .replace(/ project$/i, '')

/** Whether it is spelled like a slug, or says that it is a project: prose is neither. */
export const looksLikeProject = (said: string): boolean => {
  const name = plainName(said)
  return !/\s/.test(/^project | project$/i.test(name) ? bare(said) : name)
}

export const noProject = (said: string): string =>
  `there is no project ${JSON.stringify(cut(bare(said), 100))}`

/** Of a project to which something is to go. */
export const unknownProject = (said: string): string =>
  `${noProject(said)}: make it with project_create, or split one with gardener_split`

/** How a plan spells a project; undefined: all of them. */
export const spelled = (project: string | undefined): string =>
  project === undefined ? 'all' : wireProject(project)
