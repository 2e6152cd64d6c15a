import { switchFeatures } from '../../src/features/features.ts'
import type { Agent, Answer } from './agent.ts'
import type { House } from './build-house.ts'

/** Turns the research feature on, or off again, as its owner does. */
export const research = (house: House, on = true) =>
  switchFeatures(house.app.kernel, 'console', { research: on })

/** Records a trial and answers what the tool said. */
export const tried = (agent: Agent, title: string, more: object = {}): Promise<Answer> =>
  agent.call('trial_record', { lab: 'tide-cache', title, ...more })
