import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { addTask, checkDraft, taskFields, wireTask } from '../tasks.ts'

export const tasks_add = defineTool({
  name: 'tasks_add',
  title: 'Add a task',
  description:
    'Add work that somebody can claim and finish, now or later. A state of the world is no task: ' +
    'memory_write kind=stage.',
  input: Type.Object({
    title: fields.line({ description: 'what is to be done' }),
    body: Type.Optional(fields.body),
    depends_on: Type.Optional(
      fields.list(fields.name(), {
        description: 'ids of tasks to be finished first',
      }),
    ),
    plan: Type.Optional(fields.name({ description: 'slug of the plan it is a step of' })),
    project: fields.project,
    session: fields.session,
  }),
  output: Type.Object({ ...taskFields, ...fields.created }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ project: asked, ...draft }, { kernel, scopes, session }) {
    const { actor, reach: scope } = scopes
    const { isNew } = await scopes.aim(asked)
    if (isNew) await checkDraft(kernel, scope, draft)
    const project = await scopes.write(asked)
    const task = await addTask(
      kernel,
      actor,
      { project, scope },
      { ...draft, created_by: session?.name ?? '' },
    )
    return wireTask(task)
  },
})
