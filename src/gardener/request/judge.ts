/** What becomes of the operations of a request, however they were made of it. */
import { Refusal } from '../../kernel/refusal.ts'
import type { Draft } from '../store.ts'
import { DRAFTS, type Asking } from './drafting.ts'
import type { Ambiguous, Operation } from './operations.ts'
import { Skipped, Unclear } from './resolve.ts'

/** What became of the operations of a request. */
export interface Judged {
  drafts: Draft[]
  /** Why each of the others is not proposed. */
  skipped: string[]
  ambiguous: Ambiguous[]
}

/** Judges each operation by itself: one that is wrong keeps none of the others. */
export async function judgeOperations(
  asking: Asking,
  operations: readonly Operation[],
): Promise<Judged> {
  const judged: Judged = { drafts: [], skipped: [], ambiguous: [] }
  for (const [index, operation] of operations.entries()) {
    try {
      judged.drafts.push(await DRAFTS[operation.op](asking, operation))
    } catch (error) {
      if (error instanceof Unclear) judged.ambiguous.push(error.ambiguous)
      else if (!(error instanceof Skipped || error instanceof Refusal)) throw error
      judged.skipped.push(`operations[${index}] ${operation.op}: ${error.message}`)
    }
  }
  return judged
}
