import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { releaseTask, taskFields, wireTask } from '../tasks.ts'

export const tasks_release = defineTool({
  name: 'tasks_release',
  title: 'Give a task back',
  description:
    'Give back a task that you hold and will not finish, so that others can take it. Write down ' +
    'first how far you came, with tasks_update body; a finished one gets tasks_update status=done.',
  input: Type.Object({
    id: fields.taskId,
    claim_token: fields.claimToken,
    session: fields.session,
  }),
  output: Type.Object(taskFields),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },

  async run({ id, claim_token }, { kernel, scopes }) {
    const token = claim_token?.trim() || undefined
    return wireTask(await releaseTask(kernel, scopes.actor, scopes.reach, id.trim(), token))
  },
})
