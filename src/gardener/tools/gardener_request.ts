import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { MOST_OPERATIONS, Operation, Requested, requestCleanUps } from '../gardener.ts'

export const gardener_request = defineTool({
  name: 'gardener_request',
  title: 'Ask for clean-ups',
  description:
    'Propose that memories be merged, archived, consolidated, moved or made another kind. Nothing is ' +
    'changed: gardener_apply decides what is proposed. Settle with your user first what is meant.',
  input: Type.Object({
    request: fields.line({ description: 'what is wished, and why' }),
    project: Type.Optional(
      fields.name({ description: "where to look: a slug, global or all; default: your session's" }),
    ),
    operations: Type.Optional(
      fields.list(Operation, {
        maxItems: MOST_OPERATIONS,
        description: 'the wish in parts; without them the words are understood as far as can be',
      }),
    ),
    session: fields.session,
  }),
  output: Requested,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ request, project, operations = [] }, { kernel, scopes }) {
    const all = project?.trim() === 'all'
    const scope = await scopes.read(all ? undefined : project)
    return requestCleanUps(kernel, scopes.actor, { scope, all }, { request, operations })
  },
})
