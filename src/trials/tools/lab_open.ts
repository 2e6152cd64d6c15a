import Type from 'typebox'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { checkLab, Listed, listTrials, showListed } from '../trials.ts'

/** Trials that are shown of a lab when it is opened. */
const RECENT = 10

export const lab_open = defineTool({
  name: 'lab_open',
  title: 'Open a lab',
  description:
    'Open a lab before a series of experiments: its latest trials are shown, and yours are filed ' +
    'under it. It needs no creating. Then trial_record each; look further back with trial_query.',
  input: Type.Object({
    lab: fields.name({ description: 'any words' }),
    goal: Type.Optional(fields.line({ description: 'what you want to find out' })),
    session: fields.session,
  }),
  output: Type.Object({
    lab: Type.String(),
    trial_count: Type.Integer({ description: 'how many are shown here, not all the lab has' }),
    recent_trials: Type.Array(Listed, { description: 'newest first, ten at most' }),
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  feature: 'research',

  async run({ lab: asked }, { kernel, scopes, keepLab }) {
    const lab = checkLab(asked)
    if (!(await keepLab(lab))) {
      throw invalid(
        'nothing here would remember the open lab: pass session, or pass lab with every trial_record',
      )
    }
    const trials = await listTrials(kernel.db, scopes.reach, { lab, limit: RECENT })
    return { lab, trial_count: trials.length, recent_trials: trials.map(showListed) }
  },
})
