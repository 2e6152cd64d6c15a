/** When people work at Wrenfield: their days, and the sessions of their agents in them. */
import type { Random } from './random.ts'
import { projects } from './story/projects.ts'
import { DAY, HOUR, MINUTE } from './timeline.ts'

export const DAYS = 42

export interface Shift {
  project: string
  start: Date
  /** Milliseconds from its first word to its last. */
  length: number
}

/** The sessions of six weeks up to two hours before `now`, oldest first: more from week to week. */
export function shifts(random: Random, now: Date, count: number): Shift[] {
  const midnight = Math.floor(now.getTime() / DAY) * DAY
  const days = Array.from({ length: DAYS + 1 }, (_, ago) => midnight - (DAYS - ago) * DAY)
  const weights = days.map((day, i) => {
    const weekday = new Date(day).getUTCDay()
    const rest = weekday === 0 || weekday === 6
    return (rest ? 0.15 : 1) * (0.5 + i / DAYS)
  })
  const all = firstShifts(random, now)
  while (all.length < count) {
    const day = days[placeOf(random, weights)]!
    const start = new Date(
      day + 7 * HOUR + random.between(0, 11 * 60) * MINUTE + random.between(0, 59_999),
    )
    const length = random.between(14, 95) * MINUTE
    if (start.getTime() < now.getTime() - DAYS * DAY + HOUR) continue
    if (start.getTime() + length > now.getTime() - 2 * HOUR) continue
    all.push({ project: drawn(random, projects).slug, start, length })
  }
  return all.sort((a, b) => a.start.getTime() - b.start.getTime())
}

/** Somebody works everywhere in the first days. */
const firstShifts = (random: Random, now: Date): Shift[] =>
  projects.map(({ slug: project }, i) => ({
    project,
    start: new Date(now.getTime() - (DAYS - 3 - (i % 3)) * DAY - random.between(5, 300) * MINUTE),
    length: random.between(30, 95) * MINUTE,
  }))

/** One of them, drawn by its weight. */
export const drawn = <One extends { weight: number }>(random: Random, from: readonly One[]): One =>
  from[
    placeOf(
      random,
      from.map(({ weight }) => weight),
    )
  ]!

function placeOf(random: Random, weights: readonly number[]): number {
  let left = random.next() * weights.reduce((sum, each) => sum + each, 0)
  const found = weights.findIndex((each) => (left -= each) < 0)
  return found < 0 ? weights.length - 1 : found
}
