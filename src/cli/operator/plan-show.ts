import { defineCommand } from '../command.ts'
import { ONE_PLAN, slugOf } from './plan/asked.ts'
import { planLines } from './plan/lines.ts'
import { WHICH_PLAN } from './plan/words.ts'
import { ownerScope } from '../../projects/projects.ts'

export const planShow = defineCommand({
  name: 'plan show',
  summary: 'print a plan with its steps, its notes and its text',
  for: 'operator',
  arguments: { '<plan>': 'its slug' },
  options: WHICH_PLAN,
  operation: {
    input: ONE_PLAN,
    async work({ kernel }, { plan, project }) {
      const { getPlan } = await import('../../plans/plans.ts')
      return getPlan(kernel, ownerScope(), plan, await slugOf(project))
    },
  },
  async run({ plan, project }, { operate, say }) {
    for (const line of planLines(plan, await operate({ plan, project }))) say(line)
  },
})
