/** What was reached today: records that were broken, and plans that came to their end. */
import type { Db } from '../kernel/kernel.ts'
import { scopeSql, wireProject, type OwnerScope } from '../projects/projects.ts'
import { recordBroken } from './events.ts'
import { findRecords } from './records.ts'

export interface Celebration {
  /** The same for as long as it is shown. */
  id: string
  /** In words. */
  copy: string
}

type Row = { record: string; project: null } | { record: null; project: string; plan: string }
const reached = scopeSql<{ broken: string; most: number }, Row, OwnerScope>('gamification/reached')

const MOST = 8

/** Returns today's, in the order in which they happened. */
export async function findCelebrations(db: Db, owner: OwnerScope): Promise<Celebration[]> {
  const [rows, records] = await Promise.all([
    reached(db, owner, { broken: recordBroken.name, most: MOST }),
    findRecords(db, owner),
  ])
  return rows.map((row) => {
    if (row.record === null) {
      const { project, plan } = row
      return {
        id: `plan-${wireProject(project)}-${plan}`,
        copy: `Plan ${plan} is complete`,
      }
    }
    const { n = 0, label = '' } = records.find(({ key }) => key === row.record) ?? {}
    return {
      id: `record-${row.record}`,
      copy: `New record: ${n.toLocaleString('en')} ${label}`,
    }
  })
}
