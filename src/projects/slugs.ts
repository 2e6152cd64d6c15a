/** How callers name a project, and which names no project may have. */
import { invalid } from '../kernel/refusal.ts'
import { nameProblem } from '../text/slug.ts'

/** How agents name a project: the empty slug of the global scope is spelled out. */
export const wireProject = (project: string): string => project || 'global'

/** Undefined: not given. '' is the global scope. */
export function parseProject(asked: string | undefined): string | undefined {
  const project = asked?.trim() ?? ''
  if (project === '') return undefined
  if (project === 'global' || project === '_global') return ''
  if (project === 'all') {
    throw invalid(
      'project "all" is reserved for operations on everything; pass one project, or project=global',
    )
  }
  const problem = nameProblem(project)
  if (problem) throw invalid(`invalid project ${quote(project)}: ${problem}`)
  return project
}

/** The same of what may be no name at all, which is undefined too: whoever uses it refuses it. */
export function slugNamed(asked: string): string | undefined {
  try {
    return parseProject(asked)
  } catch {
    return undefined
  }
}

const RESERVED = new Set(['global', '_global', 'all'])

export const isReserved = (slug: string): boolean => RESERVED.has(slug)

export function refuseReserved(slug: string): void {
  if (isReserved(slug)) {
    throw invalid(`project slug "${slug}" is reserved; choose another`)
  }
}

/** Ends the refusal of what is no slug. */
export const meant = (slug: string): string => (slug === '' ? '' : `; did you mean "${slug}"?`)

/** Quoted as JSON does it, so that no control character of an argument reaches a terminal. */
export const quote = (text: string): string => JSON.stringify(text.slice(0, 300))
