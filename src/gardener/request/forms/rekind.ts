/** Requests to make memories another kind. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { MEMORY_KINDS } from '../../../memories/memories.ts'
import { cut } from '../../../text/text.ts'
import type { FormOf } from '../grammar.ts'
import type { Within } from '../meant.ts'
import type { Understood } from '../understood.ts'
import { isProse, lookUp, nothingYet, settle } from './refer.ts'

export async function rekindNamed(
  kernel: Kernel,
  within: Within,
  { of, to, reason }: FormOf<'rekind'>,
): Promise<Understood | undefined> {
  const references = await lookUp(kernel, within, of)
  if (isProse(...references.all)) return undefined
  const answer = nothingYet()
  const memories = settle(answer, references)
  if (!(MEMORY_KINDS as readonly string[]).includes(to)) {
    const said = JSON.stringify(cut(to, 100))
    answer.skipped.push(`${said} is no kind: one of ${MEMORY_KINDS.join(', ')}`)
    return answer
  }
  answer.operations = memories.map(({ id: target }) => ({
    ...{ op: 'rekind' as const, target, to },
    ...(reason !== undefined && { reason }),
  }))
  return answer
}
