/** Fills an empty store with six weeks of work, told by the agents' own hooks and calls. */
import type { DemoHouse } from './house.ts'
import { capturePlans } from './chapters/captures.ts'
import type { Chapter } from './chapters/chapter.ts'
import { errands, isArchived, runErrands } from './chapters/errands.ts'
import { tendGarden } from './chapters/garden.ts'
import { tellNews } from './chapters/news.ts'
import { composePlans } from './chapters/plans.ts'
import { lastHours } from './chapters/today.ts'
import { Everyday, type Portion } from './everyday.ts'
import { shifts, DAYS, type Shift } from './days.ts'
import { multiply } from './multiply.ts'
import type { Random } from './random.ts'
import { storyOf, type KnownMemory, type KnownNote } from './story/story.ts'
import { retire, settle } from './settle.ts'
import { DAY, Timeline } from './timeline.ts'
import { foundTowns, planTowns } from './towns.ts'

export interface Fill {
  random: Random
  now: Date
  /** 1 is the demo as it is shown. */
  scale: number
  /** The optional features that are on from the first day on. */
  features: readonly string[]
  /** Called with the share that is done. */
  progress?(share: number): void
}

export const startOf = (now: Date): Date => new Date(now.getTime() - DAYS * DAY)

/** Beside those of the story. */
const SESSIONS = 140

export async function fill(
  world: DemoHouse,
  { random, now, scale, features, progress }: Fill,
): Promise<void> {
  await settle(world, features)
  const { kernel } = world.house
  const followed = async (): Promise<void> => {
    for (const feature of features) await kernel.followers.caughtUp(feature)
  }
  const times = Math.max(0, Math.round(scale - 1))
  await foundTowns(world, times)
  const timeline = new Timeline()
  timeline.add(now.getTime() - 24 * DAY, () => retire(world))
  const everyday = new Everyday(world, random.fork('everyday'))
  const planned = shifts(random.fork('days'), now, Math.round(SESSIONS * Math.min(1, scale)))
  const portions = portionsOf(planned)
  for (const [i, shift] of planned.entries()) everyday.plan(timeline, shift, portions[i]!)
  const told = { world, timeline, now: now.getTime() }
  tellStory({ ...told, random: random.fork('story') })
  const inTowns = planTowns({ ...told, random: random.fork('towns') }, times)
  const beats = timeline.inOrder()
  for (const [i, { at, run }] of beats.entries()) {
    await world.clock.goTo(at)
    await run()
    // Moments happen when they happen, and not when a clock that jumps comes to rest.
    await followed()
    if (i % 50 === 0) progress?.(i / beats.length / Math.max(1, Math.min(scale, 2)))
  }
  await world.clock.goTo(now)
  await followed()
  if (scale <= 1) return
  const count = Math.max(0, Math.round(SESSIONS * (scale - 1)) - inTowns)
  await world.house.database.unhurried(() =>
    multiply(kernel, world.ledger, {
      ...{ count, now },
      ...(progress && { progress: (share) => progress((1 + share) / 2) }),
    }),
  )
  await followed()
}

/** What is told once, whatever the scale: every state of everything is in it. */
function tellStory(chapter: Chapter): void {
  const steps = composePlans(chapter)
  capturePlans(chapter)
  runErrands(chapter)
  tellNews(chapter)
  lastHours(chapter, steps)
  tendGarden(chapter)
}

/** What each of the sessions writes down: all that is known in its project, spread over the six weeks. */
export function portionsOf(planned: readonly Shift[]): Portion[] {
  const of = new Map<string, number[]>()
  for (const [i, { project }] of planned.entries()) of.set(project, [...(of.get(project) ?? []), i])
  const portions = planned.map(() => ({
    memories: [] as KnownMemory[],
    notes: [] as KnownNote[],
    mishap: '',
  }))
  for (const [i, mishap] of errands.mishaps.slice(1).entries()) {
    portions[Math.floor(((i + 0.7) * portions.length) / errands.mishaps.length)]!.mishap = mishap
  }
  // What holds everywhere is written by those who work on the core.
  of.set('', of.get('atlas')!)
  for (const [project, own] of of) {
    const spread = <T>(
      all: readonly T[],
      give: (portion: (typeof portions)[number], one: T) => void,
    ) => {
      for (const [i, one] of all.entries()) {
        give(portions[own[Math.floor((i * own.length) / all.length)]!]!, one)
      }
    }
    const { memories, notes } = storyOf(project)
    // What nobody needed for a month was written before.
    const isLate = ({ name }: { name: string }): number => Number(!isArchived(project, name))
    const inOrder = memories.toSorted((a, b) => isLate(a) - isLate(b))
    spread(inOrder, (portion, one) => portion.memories.push(one))
    spread(notes, (portion, one) => portion.notes.push(one))
  }
  return portions
}
