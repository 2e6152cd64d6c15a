/** What the parts of the story share. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { AgentOf } from '../agent.ts'
import type { DemoHouse } from '../house.ts'
import type { Random } from '../random.ts'
import { DAY, HOUR, MINUTE, type Timeline } from '../timeline.ts'
import { planVisit, type Visit } from '../visit.ts'

export interface Chapter {
  world: DemoHouse
  random: Random
  timeline: Timeline
  /** The last moment of the story, in milliseconds since 1970. */
  now: number
}

/** A visit some days before the last one, at an hour at which people work. */
export function visitDaysAgo(
  chapter: Chapter,
  ago: number,
  visit: Omit<Visit, 'at' | 'minutes' | 'ending'> & Partial<Visit>,
): AgentOf {
  const { world, random, timeline, now } = chapter
  const minutes = visit.minutes ?? random.between(18, 50)
  const hour = random.between(8, 16) * HOUR + random.between(0, 59) * MINUTE
  const day = Math.floor(now / DAY) * DAY - Math.round(ago) * DAY
  const at = visit.at ?? Math.min(day + hour, now - 130 * MINUTE - minutes * MINUTE)
  return planVisit(world, random, timeline, { ending: 'handed over', ...visit, at, minutes })
}

export const tell = <T>(name: string): T =>
  parse(readFileSync(new URL(`../story/${name}.yaml`, import.meta.url), 'utf8')) as T
