import { defineCommand } from '../command.ts'
import { ONE_PLAN, slugOf } from './plan/asked.ts'
import { WHICH_PLAN } from './plan/words.ts'
import { ownerScope } from '../../projects/projects.ts'

export const planApprove = defineCommand({
  name: 'plan approve',
  summary: 'agree to a captured plan; a task is made that tracks it',
  for: 'operator',
  arguments: { '<plan>': 'its slug' },
  options: WHICH_PLAN,
  operation: {
    input: ONE_PLAN,
    /** The owner agrees, as on the console. */
    async work({ kernel }, { plan, project }) {
      const { approveComposition } = await import('../../plans/plans.ts')
      return approveComposition(kernel, ownerScope(), plan, await slugOf(project), 'console')
    },
  },
  async run({ plan, project }, { operate, say }) {
    const approved = await operate({ plan, project })
    const where = `${approved.project || 'global'}/${plan}`
    say(approved.before === 'approved' ? `${where} was approved` : `${where} is approved`)
    if (approved.task !== null) say(`task ${approved.task} tracks it`)
  },
})
