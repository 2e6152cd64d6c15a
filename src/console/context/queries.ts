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
const lineage = scopeSql<{ slug: string | null }, LineageRow, OwnerScope>('projects/lineage')

/** Of every project that is out of use, or of one of them. */
export const readLineage = (db: Db, owner: OwnerScope, slug?: string): Promise<LineageRow[]> =>
  lineage(db, owner, { slug: slug ?? null })

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
