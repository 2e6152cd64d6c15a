import Type from 'typebox'
import { wireTime } from '../../kernel/clock.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { fitting } from '../../text/fitting.ts'
import { listPending, PROPOSAL_KINDS, type Proposal } from '../gardener.ts'

export const gardener_proposals = defineTool({
  name: 'gardener_proposals',
  title: 'List proposed clean-ups',
  description:
    'See which clean-ups of memories and notes wait for a decision, newest first. Nothing is done until ' +
    'gardener_apply decides one.',
  input: Type.Object({
    kind: Type.Optional(
      Type.Enum([...PROPOSAL_KINDS], { type: 'string', description: 'only these' }),
    ),
    limit: fields.listLimit,
    session: fields.session,
  }),
  output: Type.Object({
    proposals: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        status: Type.Literal('pending'),
        payload: Type.Object({ key: Type.String() }, { additionalProperties: true }),
        createdAt: Type.String(),
      }),
    ),
    count: Type.Integer(),
    total: Type.Integer(),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ kind, limit = 50 }, { kernel, scopes }) {
    const { proposals, total } = await listPending(kernel.db, scopes.reach, { kind, limit })
    const carried = fitting(proposals.map(shown))
    return { proposals: carried, count: carried.length, total }
  },
})

const shown = ({ id, kind, payload, created_at }: Proposal) => ({
  id,
  kind,
  status: 'pending' as const,
  payload,
  createdAt: wireTime(created_at),
})
