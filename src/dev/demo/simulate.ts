/** Agents that go on working in a demo store that is served: each step is one call or hook. */
import { DemoAgent, type World } from './agent.ts'
import { crew } from './crew.ts'
import { drawn } from './days.ts'
import { Everyday } from './everyday.ts'
import type { Random } from './random.ts'
import { projects } from './story/projects.ts'
import { addTask, claimTask, setTask } from './chapters/tasks.ts'
import { readHit, recall } from './writing.ts'

export interface Simulating {
  world: World
  random: Random
  /** Steps a second, of all agents together; at most 10. */
  pace: number
  /** How many work at once. */
  agents?: number
  /** A step failed; the others go on. */
  failed(error: unknown): void
}

export const FASTEST = 10

/** Begins, and returns what ends it after the steps that are under way. */
export function simulate(how: Simulating): () => Promise<void> {
  const { world, random, pace, agents = 8, failed } = how
  const everyday = new Everyday(world, random.fork('work'))
  const lives = Array.from({ length: agents }, () => life(world, random, everyday))
  const busy = new Map<number, Promise<void>>()
  const live = async (i: number): Promise<void> => {
    try {
      await lives[i]!.next()
    } catch (error) {
      failed(error)
      lives[i] = life(world, random, everyday)
    }
    busy.delete(i)
  }
  const step = (): void => {
    const free = lives.map((_, i) => i).filter((i) => !busy.has(i))
    // All are at work still: this beat is left out.
    if (free.length === 0) return
    const i = random.pick(free)
    busy.set(i, live(i))
  }
  const timer = setInterval(step, 1_000 / Math.min(pace, FASTEST))
  return async () => {
    clearInterval(timer)
    await Promise.all(busy.values())
  }
}

/** One session after the other, without an end; each turn of the loop is one step. */
async function* life(world: World, random: Random, everyday: Everyday): AsyncGenerator<undefined> {
  for (;;) {
    const project = drawn(random, projects).slug
    const { subject, job } = everyday.next(project)
    const agent = new DemoAgent(world, crew(random, project))
    await agent.begin()
    yield
    await agent.prompt(job.prompt(subject))
    yield
    const hits = await recall(agent, job.ask(subject))
    yield
    await readHit(agent, hits)
    yield
    const task = await addTask(world, agent, { title: `Next: ${subject.left}` })
    yield
    const { token } = await claimTask(world, agent, task)
    yield
    for (let rounds = random.between(1, 4); rounds > 0; rounds--) {
      await agent.call('session_update', { findings: `${subject.cause} Next: ${subject.left}.` })
      yield
      await agent.hook('stop', { last_assistant_message: subject.done })
      yield
      await agent.prompt(`And ${subject.left}?`)
      yield
    }
    await setTask(world, agent, task, 'done', token)
    yield
    await agent.handOver(job.findings(subject))
    yield
  }
}
