/** Claims that say which paths they change, and who else changes the same ones. */
import { invalid } from '../kernel/refusal.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { meet, patternOf, patternProblem } from './globs.ts'
import { claimsWithPaths } from './queue.ts'
import type { Task } from './task.ts'

export interface Overlap {
  id: string
  title: string
  claimed_by: string
  /** Those of its paths that meet one of the claim's. */
  paths: string[]
}

const MOST_PATHS = 20
/** Live claims that are compared, and overlaps that are reported. */
const COMPARED = 200
const REPORTED = 20
/** Of all comparisons of one claim, a twentieth of a second. */
const MOST_STEPS = 3_000_000

/** What the holder will change, as it is kept. */
export function checkPaths(asked: readonly string[] | undefined): string[] | undefined {
  if (asked === undefined) return undefined
  const paths = [...new Set(asked)]
  if (paths.length > MOST_PATHS) {
    throw invalid(`paths: at most ${MOST_PATHS}; a folder stands for everything in it`)
  }
  for (const path of paths) {
    const problem = patternProblem(path)
    if (problem) throw invalid(`invalid paths ${JSON.stringify(path.slice(0, 100))}: ${problem}`)
  }
  return paths
}

/**
 * Live claims in the project whose paths may meet those of the task. To be asked when its claim is
 * committed: of two that claim at once, the later one then sees the other.
 */
export async function overlappingClaims(
  { db }: Kernel,
  task: Pick<Task, 'id' | 'project' | 'paths'>,
): Promise<Overlap[]> {
  if (task.paths.length === 0) return []
  const others = await claimsWithPaths(db, task, COMPARED)
  const own = task.paths.map(patternOf)
  const steps = { left: MOST_STEPS }
  return others
    .map(({ paths, ...other }) => ({
      ...other,
      paths: paths.filter((path) => {
        const theirs = patternOf(path)
        return own.some((each) => meet(each, theirs, steps))
      }),
    }))
    .filter(({ paths }) => paths.length > 0)
    .slice(0, REPORTED)
}
