/**
 * Wrenfield in other towns: its projects under names of their own, where the same is known, written and to be done.
 * A large store has as many more of these as of everything else.
 */
import { addTask } from './chapters/tasks.ts'
import type { Chapter } from './chapters/chapter.ts'
import { DAYS } from './days.ts'
import type { DemoHouse } from './house.ts'
import { found } from './settle.ts'
import { projects, RETIRED } from './story/projects.ts'
import { storyOf } from './story/story.ts'
import { DAY, MINUTE } from './timeline.ts'
import { planVisit, type Step } from './visit.ts'
import { createNote, writeMemory } from './writing.ts'

const TOWNS = 10
const TASKS = 4
const VISIT_MINUTES = 40

const inTown = (slug: string, nth: number): string => `${slug}-${1 + (nth % TOWNS)}`
const moving = projects.filter(({ slug }) => slug !== RETIRED)

/** @param times how often everything comes once more */
export async function foundTowns(world: DemoHouse, times: number): Promise<void> {
  for (let nth = 0; nth < Math.min(times, TOWNS); nth++) {
    for (const { slug, name, description, isolation } of moving) {
      const more = { name: `${name} ${1 + nth}`, description, isolation }
      await found(world, { slug: inTown(slug, nth), ...more })
    }
  }
}

/** Plans one visit for each project and time, which writes down all that is known there; returns how many. */
export function planTowns({ world, random, timeline, now }: Chapter, times: number): number {
  for (let nth = 0; nth < times; nth++) {
    for (const { slug } of moving) {
      const daysAgo = random.between(1, DAYS - 3)
      const midnight = Math.floor(now / DAY) * DAY
      planVisit(world, random, timeline, {
        project: inTown(slug, nth),
        at: midnight - daysAgo * DAY + random.between(7 * 60, 17 * 60) * MINUTE,
        minutes: VISIT_MINUTES,
        prompt: 'Write down what is known here, and what there is to do.',
        findings: 'What is known here is written down, and what there is to do.',
        ending: 'harvested',
        steps: stepsOf(world, slug, nth).map((run) => ({
          after: random.between(60, VISIT_MINUTES * 60 - 60) / 60,
          run,
        })),
      })
    }
  }
  return times * moving.length
}

function stepsOf(world: DemoHouse, slug: string, nth: number): Step['run'][] {
  const { memories, notes, work } = storyOf(slug)
  // Each name stands once in a project.
  const again = Math.floor(nth / TOWNS)
  const mark = again === 0 ? '' : ` ${again + 1}`
  return [
    ...memories.map((memory): Step['run'] => {
      const name = memory.name + mark.replace(' ', '-')
      return (agent) => writeMemory(agent, { ...memory, name })
    }),
    ...notes.map(({ title, description, body, tags }): Step['run'] => {
      const note = { title: title + mark, description, body, tags }
      return (agent) => createNote(agent, note)
    }),
    ...work.slice(0, TASKS).map(({ left, cause }): Step['run'] => {
      const task = { title: left + mark, body: cause }
      return (agent) => addTask(world, agent, task)
    }),
  ]
}
