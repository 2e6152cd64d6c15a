import { hasForm } from '../../../config/forms.ts'
import { invalid } from '../../../kernel/refusal.ts'

/** Refuses what cannot be the address of a database, without looking for it. */
export function assertTarget(url: string): void {
  if (url === '' || !hasForm('postgres', url))
    throw invalid(
      'db copy: --to must be a postgres:// address, in whose user and password # is written %23, / %2F, ? %3F and @ %40',
    )
}
