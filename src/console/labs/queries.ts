import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { containing } from '../../text/like.ts'

export interface LabRow {
  lab: string
  trials: number
  pass: number
  fail: number
  partial: number
  inconclusive: number
  other: number
  /** Some of them; '' is the global scope. */
  projects: string[]
  projects_total: number
  /** That recorded a trial. */
  sessions: number
  first: Date
  last: Date
}

interface Params {
  /** null: any. */
  lab: string | null
  project: string | null
  pattern: string
  most: number
  skip: number
  projects: number
}
interface Totals {
  labs_total: number
  trials_total: number
}
type Row = (LabRow | { [Name in keyof LabRow]: null }) & Totals
const labs = scopeSql<Params, Row, OwnerScope>('labs/labs')

/** Rows of a page of the list. */
export const PAGE_ROWS = 200
/** Projects that are named of one lab. */
const PROJECTS = 20

export interface Filter {
  q: string
  /** '' is the global scope; null: any. */
  project: string | null
  page: number
}

/** One page of the labs, how many there are, and how many trials these have. */
export async function pageOf(db: Db, owner: OwnerScope, { q, project, page }: Filter) {
  const rows = await labs(db, owner, {
    ...{ lab: null, project, pattern: q === '' ? '' : containing(q) },
    ...{ most: PAGE_ROWS, skip: (page - 1) * PAGE_ROWS, projects: PROJECTS },
  })
  const [{ labs_total = 0, trials_total = 0 } = {}] = rows
  return { labs: rows.flatMap(bare), count: labs_total, trials: trials_total }
}

/** Returns undefined when no trial carries this name. */
export async function findLab(db: Db, owner: OwnerScope, lab: string): Promise<LabRow | undefined> {
  const asked = { lab, project: null, pattern: '', most: 1, skip: 0, projects: PROJECTS }
  const [row] = await labs(db, owner, asked)
  return row && bare(row)[0]
}

/** None where the row tells how many there are, and of no lab. */
function bare(row: Row): LabRow[] {
  const { labs_total: _, trials_total: __, ...rest } = row
  return rest.lab === null ? [] : [rest]
}
