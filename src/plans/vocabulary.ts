/** The names, tags and first lines of captured plans and planning runs. */
import { wireTime } from '../kernel/clock.ts'
import { headingsOf } from '../text/headings.ts'
import { cutSlug, LONGEST_TITLE_BYTES, nameProblem, slugify, titleProblem } from '../text/slug.ts'
import { cutBytes, oneLine } from '../text/text.ts'

/** The statuses of a plan's tag. An approved plan stays approved. Loam reads the last two and never sets them. */
const PLAN_STATUSES = ['draft', 'presented', 'approved', 'abandoned', 'shipped', 'merged'] as const
export type PlanStatus = (typeof PLAN_STATUSES)[number]

export const CAPTURE_TAG = 'cc-plan'
export const AGENT_TAG = 'agent-cache'
const BY_AGENT = 'created-by:agent'
const PLAN = 'plan:'
const STATUS = 'plan-status:'
const AGENT = 'agent:'

/** What the note of a plan's file is called; its slug is made of it. */
export const captureName = (basename: string): string => `cc-plan-${basename}`
export const captureSlug = (basename: string): string => slugify(captureName(basename))
/** Whether the note of this slug is that of the plan's file, also one whose name was cut in former times. */
export const isCaptureOf = (note: string, basename: string): boolean =>
  basename !== '' && [captureSlug(basename), cutSlug(captureName(basename))].includes(note)
export const agentSlug = (agent: string): string => slugify(`cc-agent-${agent}`)

/**
 * Returns the basename of a plan's file, or undefined for another path. A plan's file is a markdown file with
 * a safe name directly in `.claude/plans` of a home. The path is of another machine; `isKnown` says that this
 * machine took it for a plan's file, since its client keeps them in another folder.
 */
export function planFileName(path: string, isKnown = false): string | undefined {
  const [file = '', plans, claude] = path.split(/[/\\]/).toReversed()
  if (plans !== 'plans' || (claude !== '.claude' && !isKnown) || !file.endsWith('.md'))
    return undefined
  const basename = file.slice(0, -'.md'.length)
  return nameProblem(basename) === null && /[\p{L}\p{N}]/u.test(basename) ? basename : undefined
}

/** Returns the plan in the tags, or ''. */
export const planOf = (tags: readonly string[]): string =>
  tags.find((tag) => tag.startsWith(PLAN))?.slice(PLAN.length) ?? ''

export function statusOf(tags: readonly string[]): PlanStatus | undefined {
  const tagged = tags.find((tag) => tag.startsWith(STATUS))?.slice(STATUS.length)
  return PLAN_STATUSES.find((status) => status === tagged)
}

/** Whether nobody has decided on a plan with this status. */
export const isWaiting = (status: string | undefined): boolean =>
  status === 'draft' || status === 'presented'

/** Returns the tags of a capture. Tags of others stay, after ours. */
export function captureTags(before: readonly string[], plan: string, status: PlanStatus): string[] {
  const foreign = before.filter((tag) => !tag.startsWith(PLAN) && !tag.startsWith(STATUS))
  return [...new Set([PLAN + plan, CAPTURE_TAG, BY_AGENT, STATUS + status, ...foreign])]
}

/** Returns the tags of a plan's note with another status. */
export const statusTags = (before: readonly string[], status: PlanStatus): string[] => [
  ...new Set(before.map((tag) => (tag.startsWith(STATUS) ? STATUS + status : tag))),
]

export function agentTags(before: readonly string[], plan: string, type: string): string[] {
  const joined = planOf(before) || plan
  const foreign = before.filter((tag) => !tag.startsWith(PLAN) && !tag.startsWith(AGENT))
  const ours = [...(joined ? [PLAN + joined] : []), AGENT_TAG, AGENT + type, BY_AGENT]
  return [...new Set([...ours, ...foreign])]
}

/** Returns the tag that joins a note to the plan. */
export const planTag = (plan: string): string => PLAN + plan

export const joinPlan = (tags: readonly string[], plan: string): string[] => [PLAN + plan, ...tags]

/** Returns the first heading of the first level, or the basename when it cannot be a title. */
export function titleOf(text: string, basename = 'plan'): string {
  const { title } = headingsOf(text).find(({ level }) => level === 1) ?? { title: '' }
  return titleProblem(title) === null && nameProblem(slugify(title)) === null ? title : basename
}

/** Returns the title of a planning run: its type and the first line of its prompt. */
export function agentTitle(type: string, prompt: string): string {
  const [first = ''] = prompt.trim().split(/\r?\n/, 1)
  const asked = oneLine(first.replaceAll('\\', '/'), 120)
  const whole = `[${oneLine(type.replaceAll('\\', '/'), 40)}] ${asked}`
  // What is short in characters may be long in bytes.
  const title = cutBytes(whole, LONGEST_TITLE_BYTES).trim()
  return titleProblem(title) === null ? title : '[agent]'
}

/** Returns the first line of a captured text, which names its origin. A blank line follows. */
export function stamp(parts: readonly string[], gitHead: string, now: Date): string {
  const git = /^[0-9a-f]{12,64}$/i.test(gitHead) ? gitHead.slice(0, 12).toLowerCase() : 'unknown'
  const origin = [...parts, `git ${git}`, wireTime(now)].map((part) =>
    part.replaceAll(/[\r\n|]+/g, ' '),
  )
  return `> captured from ${origin.join(' | ')}`
}

const STAMP = /^> captured from [^\n]*\n\n/

/** Returns a captured text without the line of its origin. */
export const withoutStamp = (body: string): string => body.replace(STAMP, '')

/** The origin in the first line of a captured text. */
export interface Stamp {
  /** The name of the plan's file, without .md. A planning run has none. */
  basename?: string
  iteration?: number
  /** The checked out commit, in hexadecimal, if it was known. */
  git?: string
}

/** Returns the origin of a text, or undefined when the text was not captured. */
export function readStamp(text: string): Stamp | undefined {
  const [line] = /^> captured from [^\n]*/.exec(text) ?? []
  if (line === undefined) return undefined
  const parts = line.split(' | ').map((part) => part.trim())
  const find = (pattern: RegExp): string | undefined =>
    parts.map((part) => pattern.exec(part)?.[1]).find((found) => found !== undefined)
  const [basename, iteration] = [find(/^(.+)\.md$/), find(/^iter (\d{1,9})$/)]
  const git = find(/^git ([0-9a-f]{12,64})$/)
  return {
    ...(basename !== undefined && { basename }),
    ...(iteration !== undefined && { iteration: Number(iteration) }),
    ...(git !== undefined && { git }),
  }
}
