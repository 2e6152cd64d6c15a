import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import {
  readyTasks,
  TASK_STATUSES,
  taskFields,
  wireListed,
  withHolders,
  type Listed,
} from '../tasks.ts'

export const tasks_ready = defineTool({
  name: 'tasks_ready',
  title: 'What can be begun',
  description:
    'See what to work on next: ready tasks, the oldest first; lapsed ones, whose holder fell silent; ' +
    'and what is blocked by what. tasks_claim one before you begin. For all tasks use tasks_list.',
  input: Type.Object({
    project: fields.readProject,
    plan: Type.Optional(fields.name({ description: 'its steps; default: tasks of no plan' })),
    limit: fields.listLimit,
    bodies: fields.bodies,
    session: fields.session,
  }),
  output: Type.Object({
    project: Type.String(),
    ready: Type.Array(Type.Object(taskFields)),
    blocked: Type.Array(
      Type.Object({
        ...taskFields,
        blockers: Type.Array(
          Type.Object({
            id: Type.String(),
            title: Type.Optional(Type.String()),
            status: Type.Optional(Type.Enum(TASK_STATUSES, { type: 'string' })),
          }),
          { description: 'the id alone: it lies behind a fence' },
        ),
        blockers_total: Type.Optional(Type.Integer()),
      }),
    ),
    lapsed: Type.Array(Type.Object(taskFields)),
    ready_total: Type.Integer(),
    blocked_total: Type.Integer(),
    lapsed_total: Type.Integer(),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  core: true,

  async run({ project, plan = '', limit = 50, bodies }, { kernel, scopes, session }) {
    const scope = await scopes.read(project)
    const queue = await readyTasks(kernel, scope, { plan: plan.trim(), limit })
    const asker = { scope: scopes.reach, session }
    const lapsed = await withHolders(kernel.db, asker, queue.lapsed)
    const shown = (task: Listed) => wireListed(task, { bodies })
    return {
      project: wireProject(scope.project),
      ready: queue.ready.map(shown),
      blocked: queue.blocked.map(({ blockers, waits_for, ...task }) => ({
        ...shown(task),
        blockers: blockers.map(({ id, title, status, readable }) =>
          readable ? { id, title, status } : { id },
        ),
        ...(waits_for > blockers.length && { blockers_total: waits_for }),
      })),
      lapsed: lapsed.map(shown),
      ready_total: queue.ready_total,
      blocked_total: queue.blocked_total,
      lapsed_total: queue.lapsed_total,
    }
  },
})
