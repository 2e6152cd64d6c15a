/** Requests to move memories to another project: by their names, or all that fit. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { wireProject } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import type { FormOf } from '../grammar.ts'
import type { Within } from '../meant.ts'
import type { Understood } from '../understood.ts'
import { moreFit } from './archive.ts'
import { describing, findFitting } from './fit.ts'
import { looksLikeProject, noProject, projectMeant, spelled, unknownProject } from './place.ts'
import { isProse, lookUp, MOST, nothingYet, settle } from './refer.ts'

export async function moveNamed(
  kernel: Kernel,
  within: Within,
  { of, from, to, reason }: FormOf<'move'>,
): Promise<Understood | undefined> {
  const answer = nothingYet()
  const origin = from === undefined ? undefined : await projectMeant(kernel, within, from)
  const references = await lookUp(kernel, within, of, origin)
  if (isProse(...references.all)) return undefined
  const project = await projectMeant(kernel, within, to)
  if (project === undefined) {
    const isKnown = references.all.some(({ meant }) => !('none' in meant))
    if (!isKnown && !looksLikeProject(to)) return undefined
    answer.guidance = unknownProject(to)
  }
  if (from !== undefined && origin === undefined) {
    return { ...answer, skipped: [noProject(from)] }
  }
  const memories = settle(answer, references)
  if (project === undefined) return answer
  answer.operations = memories.map(({ id: target }) => ({
    ...{ op: 'reproject' as const, target, to: wireProject(project) },
    ...(reason !== undefined && { reason }),
  }))
  return answer
}

/** All that fit, as one batch. Where it comes from is the project of the request, unless one is named. */
export async function moveFitting(
  kernel: Kernel,
  within: Within,
  { filter, to: said, reason }: FormOf<'move-all'>,
): Promise<Understood> {
  const answer = nothingYet()
  const to = await projectMeant(kernel, within, said)
  if (to === undefined) return { ...answer, guidance: unknownProject(said) }
  const at = within.all ? {} : { at: within.scope.project }
  const fit = await findFitting(kernel, within, filter, { ...at, except: to })
  if (typeof fit === 'string') return { ...answer, skipped: [fit] }
  if (fit.at === to) {
    return { ...answer, skipped: [`what is in ${wireProject(to)} is there already`] }
  }
  answer.plan = slugify(`move-${spelled(fit.at)}-${wireProject(to)}`)
  answer.operations = fit.memories.map((memory) => ({
    op: 'reproject',
    target: memory.id,
    to: wireProject(to),
    reason: `${fit.why(memory)}${reason === undefined ? '' : ` — ${reason}`}`,
  }))
  if (fit.found > MOST) answer.skipped.push(moreFit(fit.found))
  if (fit.found === 0) answer.skipped.push(describing(filter))
  return answer
}
