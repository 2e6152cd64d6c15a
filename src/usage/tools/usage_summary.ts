import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { countPending } from '../../gardener/gardener.ts'
import { usageOf } from '../usage.ts'

const Counts = Type.Record(Type.String(), Type.Integer())

export const usage_summary = defineTool({
  name: 'usage_summary',
  title: 'Summarise usage',
  description:
    'See how much is kept and how much of it is read, for a report about the memory itself. To find ' +
    'knowledge use recall; for the state of the work tasks_list.',
  input: Type.Object({ session: fields.session }),
  output: Type.Object({
    memories: Type.Object({ active: Type.Integer(), byKind: Counts }),
    notes: Type.Integer(),
    sessions: Counts,
    tasks: Counts,
    retrieval: Type.Object({
      injections: Type.Integer({ description: 'items put before agents, asked for or not' }),
      reads: Type.Integer(),
      held: Type.Integer({ description: 'not told again to an agent that had been told before' }),
      savedTokens: Type.Integer({ description: 'what these would have taken, estimated' }),
      topInjected: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), count: Type.Integer() }),
      ),
      topUtility: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), score: Type.Number() }),
      ),
      funnelBySurface: Type.Array(
        Type.Object({
          surface: Type.String(),
          injections: Type.Integer(),
          items: Type.Integer(),
          itemsRead: Type.Integer({ description: 'read or found by recall within 24 hours' }),
          readRate: Type.Integer({ description: 'in percent' }),
        }),
      ),
    }),
    gardenerPending: Counts,
    eventsByKind: Counts,
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run(_input, { kernel, scopes }) {
    const { eventsByKind, ...usage } = await usageOf(kernel, scopes.reach)
    return { ...usage, gardenerPending: await countPending(kernel.db, scopes.reach), eventsByKind }
  },
})
