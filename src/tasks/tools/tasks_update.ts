import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { parseProject, withhold } from '../../projects/projects.ts'
import { CONTENT, TASK_STATUSES, taskFields, updateTask, wireTask, withHolders } from '../tasks.ts'

export const tasks_update = defineTool({
  name: 'tasks_update',
  title: 'Update a task',
  description:
    'Close, reopen, reword or move a task, or make it wait for others. status=done when it is ' +
    'finished, dropped when it is not worth doing: either lets go of your claim and frees what waits ' +
    'for it. To begin use tasks_claim, to give back tasks_release.',
  input: Type.Object({
    id: fields.taskId,
    status: Type.Optional(
      Type.Enum(TASK_STATUSES, { type: 'string', description: 'in_progress claims nothing' }),
    ),
    title: Type.Optional(fields.line({ description: 'new title' })),
    body: Type.Optional(fields.text({ description: 'replaces the whole' })),
    project: Type.Optional(fields.name({ description: 'moves it there, or to global' })),
    add_depends_on: Type.Optional(
      fields.list(fields.name(), { description: 'ids of tasks it waits for, too' }),
    ),
    claim_token: fields.claimToken,
    session: fields.session,
  }),
  output: Type.Object({
    ...taskFields,
    ...fields.created,
    withheld: fields.withheld,
  }),
  // A body that was replaced is kept nowhere.
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ id, claim_token, project, ...patch }, { kernel, scopes, session }) {
    const { task, readable } = await updateTask(
      kernel,
      scopes,
      id.trim(),
      { ...patch, ...(project !== undefined && { project: parseProject(project) ?? '' }) },
      claim_token?.trim() || undefined,
    )
    const [told] = await withHolders(kernel.db, { scope: scopes.reach, session }, [task])
    return withhold(kernel, { project: task.project, readable }, CONTENT, wireTask(told!))
  },
})
