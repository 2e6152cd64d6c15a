/** The names, tags and first lines by which captured plans and planning runs are known. */
import { wireTime } from '../kernel/clock.ts'
import { nameProblem, slugify, titleProblem } from '../text/slug.ts'
import { oneLine } from '../text/text.ts'

/** As a plan's tag says. An approved plan stays approved; the last three are read and never set here. */
export const PLAN_STATUSES = [
  'draft',
  'presented',
  'approved',
  'abandoned',
  'shipped',
  'merged',
] as const
export type PlanStatus = (typeof PLAN_STATUSES)[number]

export const CAPTURE_TAG = 'cc-plan'
export const AGENT_TAG = 'agent-cache'
const BY_AGENT = 'created-by:agent'
const PLAN = 'plan:'
const STATUS = 'plan-status:'
const AGENT = 'agent:'

export const captureSlug = (basename: string): string => slugify(`cc-plan-${basename}`)
export const agentSlug = (agent: string): string => slugify(`cc-agent-${agent}`)

/**
 * The basename of a plan's file, or undefined when the path is none: a markdown file directly in
 * `.claude/plans` of somebody's home, whose name is safe. The path is another machine's.
 */
export function planFileName(path: string): string | undefined {
  const [file = '', plans, claude] = path.split(/[/\\]/).toReversed()
  if (plans !== 'plans' || claude !== '.claude' || !file.endsWith('.md')) return undefined
  const basename = file.slice(0, -'.md'.length)
  return nameProblem(basename) === null && /[\p{L}\p{N}]/u.test(basename) ? basename : undefined
}

/** The plan that the tags join, or ''. */
export const planOf = (tags: readonly string[]): string =>
  tags.find((tag) => tag.startsWith(PLAN))?.slice(PLAN.length) ?? ''

export function statusOf(tags: readonly string[]): PlanStatus | undefined {
  const said = tags.find((tag) => tag.startsWith(STATUS))?.slice(STATUS.length)
  return PLAN_STATUSES.find((status) => status === said)
}

/** The tags of a capture: what others put there stays, behind ours. */
export function captureTags(before: readonly string[], plan: string, status: PlanStatus): string[] {
  const foreign = before.filter((tag) => !tag.startsWith(PLAN) && !tag.startsWith(STATUS))
  return [...new Set([PLAN + plan, CAPTURE_TAG, BY_AGENT, STATUS + status, ...foreign])]
}

export function agentTags(before: readonly string[], plan: string, type: string): string[] {
  const joined = planOf(before) || plan
  const foreign = before.filter((tag) => !tag.startsWith(PLAN) && !tag.startsWith(AGENT))
  const ours = [...(joined ? [PLAN + joined] : []), AGENT_TAG, AGENT + type, BY_AGENT]
  return [...new Set([...ours, ...foreign])]
}

/** The tag by which a note belongs to the plan. */
export const planTag = (plan: string): string => PLAN + plan

export const joinPlan = (tags: readonly string[], plan: string): string[] => [PLAN + plan, ...tags]

/** The first heading of the text, outside of code; the basename when there is none that may be a title. */
export function titleOf(text: string, basename = 'plan'): string {
  let fenced = false
  for (const line of text.split(/\r?\n/)) {
    if (/^\s{0,3}(```|~~~)/.test(line)) fenced = !fenced
    const [, heading] = fenced ? [] : (/^#\s+(.*?)\s*#*\s*$/.exec(line) ?? [])
    if (heading === undefined) continue
    return titleProblem(heading) === null && nameProblem(slugify(heading)) === null
      ? heading.trim()
      : basename
  }
  return basename
}

/** The title of a planning run: its type and the first line of what it was asked. */
export function agentTitle(type: string, prompt: string): string {
  const [first = ''] = prompt.trim().split(/\r?\n/, 1)
  const asked = oneLine(first.replaceAll('\\', '/'), 120)
  const title = `[${oneLine(type.replaceAll('\\', '/'), 40)}] ${asked}`.trim()
  return titleProblem(title) === null ? title : '[agent]'
}

/** Where a captured text comes from: its first line, before a blank one. */
export function stamp(parts: readonly string[], gitHead: string, now: Date): string {
  const git = /^[0-9a-f]{12,64}$/i.test(gitHead) ? gitHead.slice(0, 12).toLowerCase() : 'unknown'
  const said = [...parts, `git ${git}`, wireTime(now)].map((part) =>
    part.replaceAll(/[\r\n|]+/g, ' '),
  )
  return `> captured from ${said.join(' | ')}`
}

const STAMP = /^> captured from [^\n]*\n\n/

/** A captured text without the line that says where it comes from. */
export const withoutStamp = (body: string): string => body.replace(STAMP, '')

/** What the first line of a captured text says. */
export interface Stamp {
  /** Of the plan's file, without .md; a planning run has none. */
  basename?: string
  iteration?: number
  /** The commit that was checked out, in hexadecimal; undefined when nobody knew. */
  git?: string
}

/** Undefined when the text does not begin as a captured one. */
export function readStamp(text: string): Stamp | undefined {
  const [line] = /^> captured from [^\n]*/.exec(text) ?? []
  if (line === undefined) return undefined
  const parts = line.split(' | ').map((part) => part.trim())
  const said = (pattern: RegExp): string | undefined =>
    parts.map((part) => pattern.exec(part)?.[1]).find((found) => found !== undefined)
  const [basename, iteration] = [said(/^(.+)\.md$/), said(/^iter (\d{1,9})$/)]
  const git = said(/^git ([0-9a-f]{12,64})$/)
  return {
    ...(basename !== undefined && { basename }),
    ...(iteration !== undefined && { iteration: Number(iteration) }),
    ...(git !== undefined && { git }),
  }
}
