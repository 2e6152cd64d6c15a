import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { meantSession, SESSION_STATUSES, updateFindings } from '../sessions.ts'

export const session_update = defineTool({
  name: 'session_update',
  title: 'Update findings',
  description:
    'Replace the findings of a session while its work goes on, for those who come after it. To hand ' +
    'over for good use session_end.',
  input: Type.Object({
    findings: fields.text({ description: 'all of them: what stood there is replaced' }),
    session: fields.targetSession,
  }),
  output: Type.Object({
    session_id: Type.String(),
    status: Type.Enum(SESSION_STATUSES, { type: 'string' }),
  }),
  // Findings that were replaced are kept nowhere.
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  target: 'session',

  async run({ findings }, { kernel, scopes, session, attribute }) {
    const target = session ?? (await meantSession(kernel, scopes.actor))
    const status = await updateFindings(kernel, scopes.reach, target.id, findings)
    attribute(target)
    return { session_id: target.id, status }
  },
})
