import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { getTask, listTasks, TASK_STATUSES, taskFields, wireListed, wireTask } from '../tasks.ts'

export const tasks_list = defineTool({
  name: 'tasks_list',
  title: 'List tasks',
  description:
    'List tasks of a project, the newest first, or tell one whole by its id. To find work use ' +
    'tasks_ready; to find a task by what it says use recall.',
  input: Type.Object({
    id: Type.Optional(Type.String({ description: 'this one alone, of any project' })),
    project: fields.readProject,
    status: Type.Optional(
      Type.Enum(TASK_STATUSES, { type: 'string', description: 'only these; default: all' }),
    ),
    plan: Type.Optional(
      Type.String({ description: 'steps of this plan; default: tasks of no plan' }),
    ),
    limit: fields.listLimit,
    session: fields.session,
  }),
  output: Type.Object({
    project: Type.String(),
    tasks: Type.Array(Type.Object(taskFields)),
    total: Type.Integer(),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ id = '', project, plan = '', status, limit = 50 }, { kernel, scopes }) {
    if (id.trim() !== '') {
      const task = await getTask(kernel, scopes.reach, id.trim())
      return { project: wireProject(task.project), tasks: [wireTask(task)], total: 1 }
    }
    const scope = await scopes.read(project)
    const filter = { plan: plan.trim(), limit, ...(status && { status }) }
    const { tasks, total } = await listTasks(kernel, scope, filter)
    return { project: wireProject(scope.project), tasks: tasks.map(wireListed), total }
  },
})
