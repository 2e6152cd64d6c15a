import type { App } from '../../../app.ts'
import { compileReader } from '../../../kernel/schema/reader.ts'
import type { Operation } from '../../command.ts'

/** Carries out an operation on the open store. Refuses an input that its schema does not allow. */
export const perform = ({ input, work }: Operation, house: App, sent: unknown): Promise<unknown> =>
  work(house, compileReader(input)(sent))
