import Type from 'typebox'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { checkDraft, openLab, recordTrial, Shown, showTrial } from '../trials.ts'

export const trial_record = defineTool({
  name: 'trial_record',
  title: 'Record a trial',
  description:
    'Write down one experiment when its outcome is known, failures above all: what you changed, ' +
    'expected and saw. It is never changed: record a further one. What follows from many belongs ' +
    'into memory_write or notes_create.',
  input: Type.Object({
    title: fields.line({ description: 'what was tried, in a line' }),
    lab: Type.Optional(fields.name({ description: 'default: the open lab' })),
    project: fields.project,
    changes: Type.Optional(fields.text({ description: 'what was changed' })),
    expected: Type.Optional(fields.text({ description: 'what should have happened' })),
    actual: Type.Optional(fields.text({ description: 'what did happen' })),
    outcome: Type.Optional(
      fields.name({ description: 'usually pass, fail, partial or inconclusive' }),
    ),
    metrics: Type.Optional(fields.figures('{"p95_ms": 41}')),
    session: fields.session,
  }),
  output: Type.Object({ ...Shown.properties, ...fields.created }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  feature: 'research',

  async run({ project: asked, lab: given, ...draft }, call) {
    const { kernel, scopes } = call
    const lab = given?.trim() || (await openLab(kernel, call))
    if (lab === '') throw invalid('no lab is open: pass lab, or call lab_open first')
    const trial = checkDraft({ lab, ...draft })
    const target = { project: await scopes.write(asked), scope: scopes.reach }
    const recorded = await recordTrial(kernel, scopes.actor, target, trial)
    return showTrial({ ...recorded, session: call.session?.name ?? null })
  },
})
