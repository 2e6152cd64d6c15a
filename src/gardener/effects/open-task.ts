/** A proposal that becomes work: a task of its project, which agents find in their queue. */
import { sql } from 'kysely'
import { conflict } from '../../kernel/refusal.ts'
import type { Actor, Db, Kernel } from '../../kernel/kernel.ts'
import { findPlace, openForWriting, scopeAt, wireProject } from '../../projects/projects.ts'
import { addTask, updateTask } from '../../tasks/tasks.ts'
import { oneLine } from '../../text/text.ts'
import type { Carrier } from '../riding.ts'
import type { Written } from './effect.ts'

/** By whom a task says that it was made. */
const MAKER = 'gardener'

interface Work {
  project: string
  title: string
  body: string
}

/** Opens the task, or finds the one of this title that is open already. */
export const openTask = ({ carry }: Carrier, by: Actor, { project, title, body }: Work) =>
  carry(async (kernel) => {
    const open = await openTaskTitled(kernel.db, project, title)
    if (open) return { ...open, project, reused: true }
    const place = await findPlace(kernel.db, project)
    // A session may be older than the row of its project, as after a lost database.
    await openForWriting(kernel, place, project)
    const scope = await scopeAt(kernel.db, place)
    return addTask(kernel, by, { project, scope }, { title, body, created_by: MAKER })
  })

export const toldOf = (title: string, { id, project, reused = false }: Written) => ({
  task_id: id,
  title,
  project: wireProject(project),
  ...(reused && { reused }),
})

/** Drops the task, unless it was there before. Refuses when somebody has begun or closed it. */
export async function dropTask(
  kernel: Kernel,
  by: Actor,
  { task_id, reused }: Record<string, unknown>,
): Promise<void> {
  if (reused === true) return
  const id = String(task_id)
  const task = await kernel.db
    .selectFrom('tasks')
    .select(['project', 'status', 'created_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (task?.created_by !== MAKER) {
    throw conflict(`the task ${id} is not one that the gardener opened; nothing was taken back`)
  }
  if (task.status !== 'open') {
    throw conflict(
      `the task ${id} is ${task.status.replace('_', ' ')} by now; nothing was taken back`,
    )
  }
  const reach = await scopeAt(kernel.db, task.project)
  const scopes = { actor: by, reach, write: async () => task.project }
  await updateTask(kernel, scopes, id, { status: 'dropped' }, undefined)
}

/** The open task of this title in the project, if there is one. */
const openTaskTitled = (
  db: Db,
  project: string,
  title: string,
): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('project', '=', project)
    .where('title', '=', title)
    .where('status', '=', sql.lit('open'))
    .orderBy('id')
    .executeTakeFirst()

/** As much of a text as a title takes of it, in characters. */
const TITLE = 80

/** A title that begins with these words and says what it is about. */
export const titled = (words: string, about: string): string => `${words}: ${oneLine(about, TITLE)}`

/** A list in a task's body. */
export const listed = (lines: readonly string[]): string =>
  lines.map((line) => `- ${line}`).join('\n')
