/** A digest in the sessions' own words: what each of them found, day by day, and what came to an end meanwhile. */
import { wireProject } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'

/** What a session left to others. */
export interface Told {
  /** When it was last heard. */
  at: Date
  name: string
  findings: string
}

/** What came to an end: a plan that was shipped, a task that was done, a decision that was replaced. */
export interface Ended {
  what: 'plan' | 'task' | 'decision'
  at: Date
  name: string
  /** How many steps the plan had, the plan of the task, or what replaced the decision; '' without one. */
  more: string | null
  /** How many there are of this sort: not all of them are listed. */
  found: number
}

export interface DigestParts {
  /** '' is the global scope. */
  project: string
  /** Days, YYYY-MM-DD: the first and the last that it covers. */
  since: string
  until: string
  /** Sessions that there are, of which the latest are told. */
  found: number
  sessions: readonly Told[]
  ended: readonly Ended[]
}

/** In characters: of what one session found, of what all of them found, and of a title. */
const LONGEST_FINDING = 500
const LONGEST_FINDINGS = 16_000
const LONGEST_TITLE = 120

/** Returns the markdown of a digest, the latest day first. It is some 24,000 characters long at most. */
export function digestText({ project, since, until, found, sessions, ended }: DigestParts): string {
  const lead =
    `> Made of the sessions' own words: ${found} sessions of ${wireProject(project)}, ` +
    `${since} to ${until}.`
  return [lead, ...daysOf(sessions, found), ...endsOf(ended)].join('\n\n') + '\n'
}

/** A heading for each day, and a line for each session. */
function daysOf(sessions: readonly Told[], found: number): string[] {
  const lines: { day: string; line: string }[] = []
  let room = LONGEST_FINDINGS
  for (const { at, name, findings } of sessions) {
    const line = `- ${oneLine(name, LONGEST_TITLE)}: ${oneLine(findings, LONGEST_FINDING)}`
    room -= line.length
    if (room < 0) break
    lines.push({ day: dayOf(at), line })
  }
  const days = [...Map.groupBy(lines, ({ day }) => day)].map(
    ([day, lines]) => `## ${day}\n\n${lines.map(({ line }) => line).join('\n')}`,
  )
  const left = found - lines.length
  return left > 0 ? [...days, `${left} earlier sessions are left out.`] : days
}

function endsOf(ended: readonly Ended[]): string[] {
  const closed = [...linesOf(ended, 'plan'), ...linesOf(ended, 'task')]
  const replaced = linesOf(ended, 'decision')
  return [
    ...(closed.length > 0 ? [`## Shipped and done\n\n${closed.join('\n')}`] : []),
    ...(replaced.length > 0 ? [`## Decisions that were replaced\n\n${replaced.join('\n')}`] : []),
  ]
}

function linesOf(ended: readonly Ended[], what: Ended['what']): string[] {
  const listed = ended.filter((each) => each.what === what)
  const left = (listed[0]?.found ?? 0) - listed.length
  const lines = listed.map((each) => `- ${dayOf(each.at)}: ${SAID[what](each)}`)
  return left > 0 ? [...lines, `- ${left} earlier ${what}s are left out`] : lines
}

const SAID: Record<Ended['what'], (ended: Ended) => string> = {
  plan: ({ name, more }) => `plan ${name} was shipped, ${more} ${more === '1' ? 'step' : 'steps'}`,
  task: ({ name, more }) => oneLine(name, LONGEST_TITLE) + (more ? ` (plan ${more})` : ''),
  decision: ({ name, more }) => name + (more ? `, replaced by ${more}` : ''),
}

/** The day in UTC, YYYY-MM-DD. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
