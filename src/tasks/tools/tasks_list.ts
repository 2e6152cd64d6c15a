import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import {
  getTask,
  listTasks,
  TASK_STATUSES,
  taskFields,
  wireListed,
  wireTask,
  withHolders,
} from '../tasks.ts'

export const tasks_list = defineTool({
  name: 'tasks_list',
  title: 'List tasks',
  description:
    'List tasks of a project, the newest first, or tell one whole by its id. To find work use ' +
    'tasks_ready; to find a task by its words recall.',
  input: Type.Object({
    id: Type.Optional(fields.name({ description: 'this one whole, of any project' })),
    project: fields.readProject,
    status: Type.Optional(
      Type.Enum(TASK_STATUSES, { type: 'string', description: 'default: all' }),
    ),
    plan: Type.Optional(fields.name({ description: 'its steps; default: tasks of no plan' })),
    limit: fields.listLimit,
    bodies: fields.bodies,
    session: fields.session,
  }),
  output: Type.Object({
    project: Type.String(),
    tasks: Type.Array(Type.Object(taskFields)),
    total: Type.Integer(),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run(
    { id = '', project, plan = '', status, limit = 50, bodies },
    { kernel, scopes, session },
  ) {
    const asker = { scope: scopes.reach, session }
    if (id.trim() !== '') {
      const found = await getTask(kernel, scopes.reach, id.trim())
      const [task] = await withHolders(kernel.db, asker, [found])
      const whole = wireTask(task!, { bodies: true })
      return { project: wireProject(found.project), tasks: [whole], total: 1 }
    }
    const scope = await scopes.read(project)
    const filter = { plan: plan.trim(), limit, ...(status && { status }) }
    const { tasks, total } = await listTasks(kernel, scope, filter)
    const held = await withHolders(kernel.db, asker, tasks)
    const shown = held.map((task) => wireListed(task, { bodies }))
    return { project: wireProject(scope.project), tasks: shown, total }
  },
})
