import type { Kernel } from '../kernel/kernel.ts'
import { readable, refuseUnwritable, writable, type Scope } from '../projects/projects.ts'

/** Sets or clears the star of a task that anyone may hold. Nothing else of it changes. */
export async function starTask(
  { db }: Kernel,
  scope: Scope,
  id: string,
  favorite: boolean,
): Promise<{ id: string; project: string }> {
  const task = await db
    .selectFrom('tasks')
    .select(['id', 'project'])
    .select([
      readable(scope, 'tasks.project').as('readable'),
      writable(scope, 'tasks.project').as('writable'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  refuseUnwritable(scope, task, `task with id ${JSON.stringify(id)}`)
  await db.updateTable('tasks').set({ favorite }).where('id', '=', id).execute()
  return { id, project: task.project }
}
