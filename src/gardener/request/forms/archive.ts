/** Requests to archive: memories by their names, or all that fit. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { memoryRef } from '../../../memories/memories.ts'
import type { Brief } from '../../payloads.ts'
import type { FormOf } from '../grammar.ts'
import type { Within } from '../meant.ts'
import type { Understood } from '../understood.ts'
import { describing, findFitting } from './fit.ts'
import { isProse, lookUp, MOST, nothingYet, settle } from './refer.ts'

export async function archiveNamed(
  kernel: Kernel,
  within: Within,
  { of, reason }: FormOf<'archive'>,
): Promise<Understood | undefined> {
  const references = await lookUp(kernel, within, of)
  if (isProse(...references.all)) return undefined
  const answer = nothingYet()
  answer.operations = settle(answer, references).map(({ id: target }) => ({
    ...{ op: 'archive' as const, target },
    ...(reason !== undefined && { reason }),
  }))
  return answer
}

/** A constraint binds: it is archived by its name, or when constraints are asked for. */
export async function archiveFitting(
  kernel: Kernel,
  within: Within,
  { filter, reason }: FormOf<'archive-all'>,
): Promise<Understood> {
  const answer = nothingYet()
  const fit = await findFitting(kernel, within, filter, { apart: true })
  if (typeof fit === 'string') return { ...answer, skipped: [fit] }
  answer.operations = fit.memories.map((memory) => ({
    op: 'archive',
    target: memory.id,
    reason: `${fit.why(memory)}${reason === undefined ? '' : ` — ${reason}`}`,
  }))
  if (fit.found > MOST) answer.skipped.push(moreFit(fit.found))
  if (fit.constraintsFound > 0) answer.skipped.push(kept(fit.constraints, fit.constraintsFound))
  if (fit.found + fit.constraintsFound === 0) answer.skipped.push(describing(filter))
  return answer
}

export const moreFit = (found: number): string =>
  `${found - MOST} more fit: ask again once these ${MOST} are decided`

/** Names of constraints that one line holds. */
const NAMED = 5

function kept(constraints: readonly Brief[], found: number): string {
  const named = constraints.slice(0, NAMED).map(memoryRef).join(', ')
  const more = found > NAMED ? ` and ${found - NAMED} more` : ''
  const [stays, them] =
    found === 1 ? ['constraint fits too and stays', 'it'] : ['constraints fit too and stay', 'them']
  return `${found} ${stays}: ${named}${more}; archive ${them} by name if that is meant`
}
