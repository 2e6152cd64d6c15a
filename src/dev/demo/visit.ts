/** One session of an agent, from its first word to its last, as moments of a timeline. */
import { DemoAgent, type AgentOf, type World } from './agent.ts'
import { crew } from './crew.ts'
import type { Random } from './random.ts'
import { MINUTE, type Timeline } from './timeline.ts'

/** How a session ends: by session_end, by its client with or without last words, in silence, or not at all. */
export type Ending = 'handed over' | 'harvested' | 'wordless' | 'fell silent' | 'goes on'

export interface Step {
  /** Minutes since the session began. */
  after: number
  run(agent: DemoAgent): Promise<unknown>
}

export interface Visit {
  project: string
  /** When it begins, in milliseconds since 1970. */
  at: number
  minutes: number
  prompt: string
  findings?: string
  mishaps?: string[]
  ending: Ending
  steps: readonly Step[]
  client?: string
  /** Begins by session_start under this name, and no hook is heard of it. */
  name?: string
  /** Whether the client tells now and then how many tokens it used. */
  isCounted?: boolean
}

/** Minutes of silence after which the service ends a session. */
const EXPIRE_MINUTES = 105

export function planVisit(world: World, random: Random, timeline: Timeline, visit: Visit): AgentOf {
  const { project, at, minutes, prompt, findings = '', mishaps, ending, steps, client } = visit
  const of = crew(random, project, client)
  const tokens = tokensOf(random, minutes)
  let agent!: DemoAgent
  const moment = (after: number, run: () => Promise<unknown>): void =>
    timeline.add(at + after * MINUTE, run)

  moment(0, async () => {
    agent = new DemoAgent(world, of)
    await (visit.name ? agent.beginByName(visit.name) : agent.begin())
  })
  const hears = random.between(5, 40) / 60
  if (!visit.name) moment(hears, () => agent.prompt(prompt))
  for (const { after, run } of steps) moment(after, () => run(agent))
  if (visit.isCounted ?? minutes > 5) {
    const sofar = { tokens: tokens(0.9), last_assistant_message: '' }
    moment(minutes * 0.9, () => agent.hook('stop', sofar))
  }
  if (ending === 'fell silent') moment(minutes + EXPIRE_MINUTES + 2, () => agent.expire())
  if (ending === 'handed over') {
    const more = { tokens: tokens(1), ...(mishaps && { mishaps }) }
    moment(minutes, () => agent.handOver(findings, more))
  }
  if (ending === 'harvested') moment(minutes, () => agent.close(findings, tokens(1)))
  if (ending === 'wordless') moment(minutes, () => agent.close('', tokens(1)))
  return of
}

/** What the whole session used, and how much of it so far. */
export function tokensOf(
  random: Random,
  minutes: number,
): (share: number) => Record<string, number> {
  const input = Math.round(minutes * random.between(400, 2_200)) + 900
  const output = Math.round(minutes * random.between(180, 700)) + 120
  const all = { input, cached: input * random.between(6, 14), cache_creation: input * 2, output }
  return (share) =>
    Object.fromEntries(Object.entries(all).map(([name, of]) => [name, Math.round(of * share)]))
}
