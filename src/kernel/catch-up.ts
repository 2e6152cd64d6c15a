/** What is said while rows are behind the files. */
import type { CatchUp, Kernel } from './kernel.ts'
import { unavailable, type Refusal } from './refusal.ts'

export const STILL_READING = 'the store is still being read; ask again'

export const stillReading = (): Refusal => unavailable(STILL_READING)

/** Returns what a caller is told of an error: no "no" is said before the rows have caught up with the files. */
export async function honest(kernel: Kernel, error: unknown, began: number): Promise<unknown> {
  if ((error as Partial<Refusal> | null)?.kind !== 'not_found') return error
  return (await kernel.catchUp.doubt(kernel, began)) ?? error
}

/** For what has no files: every "no" is true. */
export const nothingBehind: CatchUp = {
  lookFor: async () => false,
  doubt: async () => undefined,
  gap: async () => undefined,
  saw: () => {},
}
