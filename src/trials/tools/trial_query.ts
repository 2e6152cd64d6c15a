import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { fitting } from '../../text/fitting.ts'
import {
  checkMetrics,
  getTrial,
  Listed,
  listTrials,
  openLab,
  showListed,
  showTrial,
} from '../trials.ts'

export const trial_query = defineTool({
  name: 'trial_query',
  title: 'Query trials',
  description:
    'See what was tried before you try it: trials by lab, outcome and figures, newest first, of ' +
    'every project you may read. To find them by words use recall scope=trials.',
  input: Type.Object({
    id: Type.Optional(fields.name({ description: 'this one whole, of any lab' })),
    lab: Type.Optional(fields.name({ description: 'default: the open lab; "": every lab' })),
    outcome: Type.Optional(fields.name({ description: 'exactly this word' })),
    metrics_filter: Type.Optional(fields.figures('{"cores": 4}: each there and equal')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: 'default 20, most 200' }),
    ),
    session: fields.session,
  }),
  output: Type.Object({
    lab: Type.String({ description: 'the lab that was looked through; "": every lab' }),
    trials: Type.Array(Listed),
    cut: Type.Optional(Type.Literal(true, { description: 'more matched than fits one answer' })),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  feature: 'research',

  async run({ id = '', lab: asked, outcome, metrics_filter: metrics, limit = 20 }, call) {
    const { kernel, scopes } = call
    if (id.trim() !== '') {
      const trial = await getTrial(kernel.db, scopes.reach, id.trim())
      return { lab: trial.lab, trials: [showTrial(trial)] }
    }
    const lab = asked?.trim() ?? (await openLab(kernel, call))
    checkMetrics(metrics, 'metrics_filter')
    const filter = { lab: lab === '' ? undefined : lab, outcome: outcome?.trim(), metrics, limit }
    const trials = await listTrials(kernel.db, scopes.reach, filter)
    const shown = fitting(trials.map(showListed))
    return { lab, trials: shown, ...(shown.length < trials.length && { cut: true as const }) }
  },
})
