import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { wireTime } from '../../kernel/clock.ts'
import { defineCommand } from '../command.ts'
import { slugOf } from './plan/asked.ts'
import { PHASES } from './plan/words.ts'
import { ownerScope } from '../../projects/projects.ts'

const WINDOWS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', all: null } as const
const WINDOW_NAMES = Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]

export const planList = defineCommand({
  name: 'plan list',
  summary: 'list the plans, the one that moved last first',
  for: 'operator',
  options: {
    '--project <slug>': 'of this project; global: of none',
    '--window <span>': { text: 'that moved within it', choices: WINDOW_NAMES },
  },
  operation: {
    input: Type.Object({
      project: Type.Optional(name()),
      window: Type.Enum(WINDOW_NAMES, { default: 'all' }),
    }),
    async work({ kernel }, asked) {
      const { listPlans } = await import('../../plans/plans.ts')
      const [project, since] = [await slugOf(asked.project), WINDOWS[asked.window]]
      return listPlans(kernel, ownerScope(), {
        ...(project !== undefined && { project }),
        ...(since !== null && { since }),
      })
    },
  },
  async run({ project, window }, { operate, say, complain }) {
    const { plans, total } = await operate({ project, window: window as keyof typeof WINDOWS })
    for (const { plan, project, phase, status, steps, tokens, moved } of plans) {
      const parts = [
        `${project || 'global'}/${plan}`,
        PHASES[phase],
        `${steps.done}/${steps.total} steps`,
        ...(status ? [status] : []),
        `${tokens.total} tokens`,
        wireTime(new Date(moved)),
      ]
      say(parts.join('  '))
    }
    if (plans.length === 0) say('There is no such plan.')
    if (total > plans.length) complain(`${total - plans.length} more; see --project, --window`)
  },
})
