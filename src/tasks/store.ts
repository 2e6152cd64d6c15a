import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

export interface TaskRow {
  id: string
  project: string
  title: string
  body: string
  plan: string
  created_by: string
  paths: string[]
}

export async function insertTask(db: Db, task: TaskRow): Promise<void> {
  await db.insertInto('tasks').values(task).execute()
}

/** The tasks that the session held, open now. In the order of their ids, so that two never deadlock. */
export async function reopenHeldBy(
  db: Db,
  session: string,
): Promise<{ id: string; project: string; plan: string }[]> {
  const held = await db
    .selectFrom('tasks')
    .select('id')
    .where('claimed_by', '=', session)
    .where('status', '=', 'in_progress')
    .orderBy('id')
    .forUpdate()
    .execute()
  if (held.length === 0) return []
  return db
    .updateTable('tasks')
    .set({
      status: 'open',
      claimed_by: '',
      claim_token: '',
      lease_expires_at: null,
      updated_at: sql<Date>`loam_now()`,
    })
    .where(
      'id',
      'in',
      held.map(({ id }) => id),
    )
    .returning(['id', 'project', 'plan'])
    .execute()
}

/** Whether somebody has still to work on the plan. */
export async function hasUnfinishedStep(db: Db, project: string, plan: string): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('project', '=', project)
    .where('plan', '=', plan)
    .where('status', 'in', ['open', 'in_progress'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
