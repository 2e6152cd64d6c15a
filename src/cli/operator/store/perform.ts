import type { App } from '../../../app.ts'
import { honest } from '../../../kernel/catch-up.ts'
import { compileReader } from '../../../kernel/schema/reader.ts'
import type { Operation } from '../../command.ts'

/** Carries out an operation on the open store. Refuses an input that its schema does not allow. */
export async function perform(
  { input, work }: Operation,
  house: App,
  sent: unknown,
): Promise<unknown> {
  const began = performance.now()
  try {
    return await work(house, compileReader(input)(sent))
  } catch (error) {
    throw await honest(house.kernel, error, began)
  }
}
