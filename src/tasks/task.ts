/** A task, and how it is written on the wire. */
import Type from 'typebox'
import { wireProject } from '../projects/projects.ts'
import { firstLine } from '../text/text.ts'

export const TASK_STATUSES = ['open', 'in_progress', 'done', 'dropped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const isFinished = (status: TaskStatus): boolean => status === 'done' || status === 'dropped'

export interface Task {
  id: string
  /** '' is the global scope. */
  project: string
  title: string
  body: string
  status: TaskStatus
  /** The name of a session. */
  created_by: string
  /** The slug of the plan that it is a step of; '' for none. */
  plan: string
  /** The id of the session that holds it, or held it last while it is in progress; '' for none. */
  claimed_by: string
  lease_expires_at: Date | null
  /** What the holder said that it will change. */
  paths: string[]
  favorite: boolean
  /** Ids of what it waits for, sorted. */
  depends_on: string[]
}

/** The columns of a task, but for what it waits for. */
export const TASK_COLUMNS = [
  'id',
  'project',
  'title',
  'body',
  'status',
  'created_by',
  'plan',
  'claimed_by',
  'lease_expires_at',
  'paths',
  'favorite',
] as const

/** A task of a list: long texts are cut. */
export interface Listed extends Task {
  /** The body is longer. */
  cut: boolean
  depends_on_total: number
}

/** What of an answer belongs to the content of the project, and stays within its fence. */
export const CONTENT = [
  'title',
  'body',
  'body_cut',
  'plan',
  'depends_on',
  'created_by',
  'favorite',
  'paths',
] as const

/** The fields of a task in an answer. Title and maker are left out where they may not be read. */
export const taskFields = {
  id: Type.String(),
  title: Type.Optional(Type.String()),
  status: Type.Enum(TASK_STATUSES, { type: 'string' }),
  project: Type.String(),
  created_by: Type.Optional(Type.String({ description: 'name of a session' })),
  body: Type.Optional(Type.String()),
  body_cut: Type.Optional(
    Type.Literal(true, { description: 'there is more: tasks_list with its id tells all' }),
  ),
  plan: Type.Optional(Type.String()),
  claimed_by: Type.Optional(Type.String({ description: 'name of a session' })),
  lease_expires_at: Type.Optional(Type.String()),
  paths: Type.Optional(Type.Array(Type.String())),
  depends_on: Type.Optional(Type.Array(Type.String())),
  depends_on_total: Type.Optional(
    Type.Integer({ description: 'there are more than the list holds' }),
  ),
  favorite: Type.Optional(Type.Literal(true)),
}

/** Characters of a line that stands for a body. */
const LINE = 160

/** A task as agents read it: what is empty is left out, and of a body a line is shown unless all was asked for. */
export function wireTask(task: Task, { bodies = false } = {}) {
  const { plan, claimed_by, lease_expires_at: lease, paths, depends_on, favorite } = task
  const body = bodies ? task.body : firstLine(task.body, LINE)
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    project: wireProject(task.project),
    created_by: task.created_by,
    ...(body && { body }),
    ...(!bodies && body !== task.body.trim() && { body_cut: true as const }),
    ...(plan && { plan }),
    ...(claimed_by && { claimed_by }),
    ...(lease && { lease_expires_at: lease.toISOString() }),
    ...(paths.length > 0 && { paths }),
    ...(depends_on.length > 0 && { depends_on }),
    ...(favorite && { favorite: true as const }),
  }
}

export function wireListed(task: Listed, asked: { bodies?: boolean | undefined }) {
  const { cut, depends_on, depends_on_total } = task
  return {
    ...wireTask(task, { bodies: asked.bodies ?? false }),
    ...(cut && { body_cut: true as const }),
    ...(depends_on_total > depends_on.length && { depends_on_total }),
  }
}
