import Type from 'typebox'
import { name } from '../../../kernel/schema/bounds.ts'

/** What names one plan: without a project, in whichever there is one. */
export const ONE_PLAN = Type.Object({
  plan: name(),
  project: Type.Optional(name()),
})

/** The slug of the project that was asked for; undefined when none was. */
export async function slugOf(project: string | undefined): Promise<string | undefined> {
  if (project === undefined) return undefined
  const { parseProject } = await import('../../../projects/projects.ts')
  return parseProject(project)
}
