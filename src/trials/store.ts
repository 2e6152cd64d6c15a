import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { readable, writable, type Reached, type Scope } from '../projects/projects.ts'

/** Figures of a trial by their names. */
export type Metrics = object

export interface Trial {
  id: string
  project: string
  lab: string
  title: string
  changes: string
  expected: string
  actual: string
  outcome: string
  metrics: Metrics
  created_at: Date
  /** The name of the session that recorded it; null when there was none or it is behind a fence. */
  session: string | null
}

const TRIAL = [
  'id',
  'project',
  'created_at',
  'lab',
  'title',
  'changes',
  'expected',
  'actual',
  'outcome',
  'metrics',
] as const

export async function insertTrial(
  db: Db,
  { metrics, ...trial }: Omit<Trial, 'created_at' | 'session'> & { session_id: string },
): Promise<{ created_at: Date }> {
  return db
    .insertInto('trials')
    .values({ ...trial, metrics: JSON.stringify(metrics) })
    .returning('created_at')
    .executeTakeFirstOrThrow()
}

export interface TrialFilter {
  /** This one alone. */
  id?: string | undefined
  /** Left out: of every lab. */
  lab?: string | undefined
  /** Exactly this one. */
  outcome?: string | undefined
  /** Each is there, and of an equal value. */
  metrics?: Metrics | undefined
  limit: number
}

/** Those of the trials that the caller may read and that match, the newest first. */
export async function listTrials(
  db: Db,
  scope: Scope,
  { id, lab, outcome, metrics, limit }: TrialFilter,
): Promise<Trial[]> {
  const asked = JSON.stringify(metrics ?? {})
  const rows = await db
    .selectFrom('trials')
    .select(TRIAL)
    .select(
      sql<string | null>`(
        select s.name from sessions s
        where s.id = trials.session_id and ${readable(scope, 's.project')})`.as('session'),
    )
    .where(readable(scope, 'trials.project'))
    .$if(id !== undefined, (trials) => trials.where('id', '=', id!))
    .$if(lab !== undefined, (trials) => trials.where('lab', '=', lab!))
    .$if(outcome !== undefined, (trials) => trials.where('outcome', '=', outcome!))
    // What is equal is contained, which an index answers; what is contained need not be equal.
    .$if(metrics !== undefined, (trials) =>
      trials.where(sql<boolean>`metrics @> ${asked}::jsonb`).where(
        sql<boolean>`not exists (
          select from jsonb_each(${asked}::jsonb) asked
          where trials.metrics -> asked.key is distinct from asked.value)`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows as Trial[]
}

/** By id, judged in the same statement. */
export function findTrial(db: Db, id: string, scope: Scope): Promise<Reached | undefined> {
  return db
    .selectFrom('trials')
    .select('project')
    .select([
      readable(scope, 'trials.project').as('readable'),
      writable(scope, 'trials.project').as('writable'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function setStar(db: Db, id: string, favorite: boolean): Promise<void> {
  await db.updateTable('trials').set({ favorite }).where('id', '=', id).execute()
}
