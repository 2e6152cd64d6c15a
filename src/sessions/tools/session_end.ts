import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { endSession, meantSession } from '../sessions.ts'

const count = () => Type.Optional(Type.Integer({ minimum: 0 }))

export const session_end = defineTool({
  name: 'session_end',
  title: 'End a session',
  description:
    'Hand over: complete a session with what it found and what went wrong; its tasks are free again. ' +
    'While work goes on use session_update.',
  input: Type.Object({
    findings: fields.text({
      description:
        'what the next agent must know: state, decisions, what is left; as long as needed',
    }),
    mishaps: Type.Optional(
      fields.list(fields.line({ contentMediaType: 'text/plain' }), {
        maxItems: 100,
        description: 'your own mistakes, each with the memories that would have prevented it',
      }),
    ),
    tokens: Type.Optional(
      Type.Object(
        { input: count(), cached: count(), cache_creation: count(), output: count() },
        { description: 'of the whole session' },
      ),
    ),
    session: fields.targetSession,
  }),
  output: Type.Object({
    session_id: Type.String(),
    status: Type.Literal('completed'),
    claims_released: Type.Integer(),
    mishaps_recorded: Type.Integer(),
  }),
  // It replaces findings as session_update does, and a second end reports its mishaps again.
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  target: 'session',

  async run({ findings, mishaps, tokens }, { kernel, scopes, session, attribute }) {
    const target = session ?? (await meantSession(kernel, scopes.actor))
    const end = { findings, ...(mishaps && { mishaps }), ...(tokens && { tokens }) }
    const ended = await endSession(kernel, scopes.reach, target.id, end)
    attribute(target)
    // What the session did until now is in the log before its end is.
    await kernel.telemetry.flush()
    return { session_id: target.id, status: 'completed' as const, ...ended }
  },
})
