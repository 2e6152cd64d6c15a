import { findSetting } from '../../kernel/settings.ts'
import type { Db } from '../../kernel/kernel.ts'
import { ISOLATION, scopeSql, type Isolation, type OwnerScope } from '../../projects/projects.ts'
import { BRIEFING } from '../../briefing/briefing.ts'

export interface LineageRow {
  source: string
  retired_at: Date
  /** Where its memories went; null when none was moved. */
  scope: string | null
  moves: number
}
export const readLineage = scopeSql<object, LineageRow, OwnerScope>('projects/lineage')

/** Whether the owner has said anything over the configuration of briefings. */
export const isBriefingOverridden = async (db: Db): Promise<boolean> =>
  (await findSetting(db, BRIEFING)) !== undefined

const levels = scopeSql<
  { levels: readonly Isolation[] },
  { reader: Isolation; of: Isolation },
  OwnerScope
>('projects/levels')

/** Whether a project of the first level may read another of the second. */
export type MayRead = (reader: Isolation, of: Isolation) => boolean

export async function readFences(db: Db, owner: OwnerScope): Promise<MayRead> {
  const rows = await levels(db, owner, { levels: ISOLATION })
  return (reader, of) => rows.some((row) => row.reader === reader && row.of === of)
}
