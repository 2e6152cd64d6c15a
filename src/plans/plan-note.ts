/** The note of a captured plan: its title, body and tags for each status and iteration. */
import type { Composed, Note } from '../notes/notes.ts'
import { slugify } from '../text/slug.ts'
import type { CaptureFrom } from './source.ts'
import { captureTags, planOf, stamp, type PlanStatus } from './vocabulary.ts'

interface Composing {
  before: Note | undefined
  title: string
  content: string
  /** Its slug. */
  plan: string
  status: PlanStatus
  iteration: number
}

export function composed(
  from: CaptureFrom,
  basename: string,
  now: Date,
  made: Composing,
): Composed {
  const { before, title, content, plan, status, iteration } = made
  const parts = [from.name || 'no session', `${basename}.md`, `iter ${iteration}`]
  return {
    title,
    description: description(basename, iteration, status),
    body: `${stamp(parts, from.git_head ?? '', now)}\n\n${content}`,
    tags: captureTags(before?.tags ?? [], plan, status),
    extra: { plan_iteration: iteration },
  }
}

/** Returns the note with another status. */
export function withStatus(before: Note, basename: string, status: PlanStatus): Composed {
  const iteration = iterationOf(before)
  return {
    title: before.title,
    description: description(basename, iteration, status),
    body: before.body,
    tags: captureTags(
      before.tags,
      planOf(before.tags) || slugify(before.title) || before.slug,
      status,
    ),
    extra: { plan_iteration: iteration },
  }
}

const description = (basename: string, iteration: number, status: PlanStatus): string =>
  `Plan ${basename}.md, iteration ${iteration}, ${status}`

/** Returns the description with another status. One that somebody wrote says none, and stays. */
export const describedAs = (before: string, status: PlanStatus): string =>
  before.replace(/^(Plan .+\.md, iteration \d+, )\w+$/, `$1${status}`)

export function iterationOf({ extra }: Note): number {
  const stored = extra['plan_iteration']
  return Number.isSafeInteger(stored) && (stored as number) >= 1 ? (stored as number) : 1
}
