/** An ordinary session: a prompt, a look at what is known, work, and what is left for the next one. */
import type { Answer, World } from './agent.ts'
import type { Shift } from './days.ts'
import type { Random } from './random.ts'
import { storyOf, type KnownMemory, type KnownNote } from './story/story.ts'
import { JOBS, type Job, type Subject } from './story/work.ts'
import { MINUTE, type Timeline } from './timeline.ts'
import { planVisit, type Ending, type Step } from './visit.ts'
import { createNote, readHit, recall, writeMemory } from './writing.ts'

/** What a session is to write down. */
export interface Portion {
  memories: readonly KnownMemory[]
  notes: readonly KnownNote[]
  mishap?: string
}

export class Everyday {
  readonly #world: World
  readonly #random: Random
  readonly #taken = new Map<string, number>()

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
  }

  /** Plans one session. Whatever chance decides is drawn here, and carried out later. */
  plan(timeline: Timeline, { project, start, length }: Shift, portion: Portion): void {
    const random = this.#random
    const { subject, job } = this.next(project)
    const { mishap } = portion
    planVisit(this.#world, random, timeline, {
      project,
      at: start.getTime(),
      minutes: length / MINUTE,
      prompt: job.prompt(subject),
      findings: job.findings(subject),
      ending: mishap ? 'handed over' : this.#ending(),
      ...(mishap && { mishaps: [mishap] }),
      steps: this.#steps(length / MINUTE, { subject, job, portion }),
    })
  }

  /** What is worked on next in a project: each subject in each way, before one comes again. */
  next(project: string): { subject: Subject; job: Job } {
    const taken = this.#taken.get(project) ?? 0
    this.#taken.set(project, taken + 1)
    const all = storyOf(project).work
    return {
      subject: all[taken % all.length]!,
      job: JOBS[Math.floor(taken / all.length + taken) % JOBS.length]!,
    }
  }

  #steps(
    minutes: number,
    { subject, job, portion }: { subject: Subject; job: Job; portion: Portion },
  ): Step[] {
    const random = this.#random
    const steps: Step[] = []
    let hits: Answer[] = []
    // Shares of the session between which it happens.
    const step = (from: number, to: number, run: Step['run']): void => {
      steps.push({ after: (from + random.next() * (to - from)) * minutes, run })
    }
    if (random.chance(0.85)) {
      step(0.03, 0.06, async (agent) => {
        hits = await recall(agent, job.ask(subject))
      })
    }
    if (random.chance(0.7)) step(0.1, 0.15, (agent) => readHit(agent, hits))
    if (random.chance(0.4)) step(0.2, 0.25, (agent) => readHit(agent, hits))
    if (random.chance(0.4)) step(0.28, 0.35, (agent) => agent.call('tasks_ready'))
    if (random.chance(0.35)) step(0.4, 0.5, (agent) => recall(agent, subject.thing))
    if (random.chance(0.3)) step(0.5, 0.55, (agent) => agent.prompt(`And then: ${subject.left}.`))
    if (random.chance(0.12)) step(0.56, 0.6, (agent) => agent.call('project_list'))
    for (const memory of portion.memories) step(0.55, 0.8, (agent) => writeMemory(agent, memory))
    for (const note of portion.notes) step(0.6, 0.85, (agent) => createNote(agent, note))
    return steps
  }

  #ending(): Ending {
    const drawn = this.#random.next()
    if (drawn < 0.12) return 'fell silent'
    if (drawn < 0.2) return 'wordless'
    return drawn < 0.5 ? 'harvested' : 'handed over'
  }
}
