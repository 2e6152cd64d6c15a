import Type from 'typebox'
import { forbidden } from '../../kernel/refusal.ts'
import type { Db } from '../../kernel/kernel.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import type { Scope } from '../../projects/projects.ts'
import {
  applyProposal,
  dismissProposal,
  hideProposal,
  missing,
  reachProposal,
} from '../gardener.ts'

export const gardener_apply = defineTool({
  name: 'gardener_apply',
  title: 'Decide a proposed clean-up',
  description:
    'Carry out a clean-up that gardener_proposals lists, once its owner or the facts say so; or dismiss ' +
    'it until there is newer evidence, or hide it for good. Only the owner takes a decision back.',
  input: Type.Object({
    id: fields.name({ description: 'of the proposal' }),
    action: Type.Optional(
      Type.Enum(['apply', 'dismiss', 'hide'], { type: 'string', description: 'default apply' }),
    ),
    session: fields.session,
  }),
  output: Type.Object({ status: Type.String() }, { additionalProperties: true }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ id, action = 'apply' }, { kernel, scopes }) {
    const mayDecide = (db: Db) => judge(db, scopes.reach, id)
    await mayDecide(kernel.db)
    if (action === 'apply') return applyProposal(kernel, scopes.actor, id, mayDecide)
    if (action === 'dismiss') await dismissProposal(kernel, scopes.actor, id)
    else await hideProposal(kernel, scopes.actor, id)
    return { id, status: action === 'dismiss' ? 'dismissed' : 'hidden' }
  },
})

/** What the caller may not read is not there. */
async function judge(db: Db, scope: Scope, id: string): Promise<void> {
  const reached = await reachProposal(db, scope, id)
  if (!reached?.readable) throw missing(id)
  if (reached.writable) return
  throw forbidden('the proposal touches a project that your session may read and not change')
}
