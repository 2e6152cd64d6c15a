/** A digest of sessions, written by a chat model from what they found and from nothing else. */
import type { Kernel } from '../kernel/kernel.ts'
import { Refusal } from '../kernel/refusal.ts'
import { wireProject } from '../projects/projects.ts'
import { cut } from '../text/text.ts'
import { askModel } from './model/answer.ts'
import { promptOf } from './model/prompt.ts'

export interface DigestOf {
  /** '' is the global scope. */
  project: string
  /** Days, YYYY-MM-DD: the first and the last that it covers. */
  since: string
  until: string
  sessions: readonly {
    /** YYYY-MM-DD, or a time that begins with it. */
    date: string
    name: string
    findings: string
  }[]
}

const DEADLINE_MS = 60_000
/** In characters, of all findings with what is said of them. */
const MOST_CHARACTERS = 60_000

const ORDERS = `
Write a digest of what coding agents found out in a project. The block "about" says in which project
and in which days, and the block "sessions" holds one session in each line, the latest first: its day,
its name and its findings.

- Write short Markdown bullets, grouped under these three bold lines: **Topics**, **Decisions and
  lessons**, **Open**. Leave a group out when nothing belongs there. Write no heading and nothing
  before or after the bullets.
- Use nothing but the findings. What none of them says is not in your text.
- What several sessions say is said once. Where a later one corrects an earlier one, the later one holds.
- Copy names, paths, commands and numbers letter by letter.
`

/**
 * Writes Markdown, without a heading. Undefined when no chat model is set up, when there is nothing to write of,
 * and when the model failed: that is in the log.
 */
export async function writeDigest(
  kernel: Kernel,
  { project, since, until, sessions }: DigestOf,
): Promise<{ body: string; model: string } | undefined> {
  if (!kernel.chat.state().on || sessions.length === 0) return undefined
  const latest = sessions.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
  const lines = withinBounds(latest)
  const left = latest.length - lines.length
  const prompt = promptOf(ORDERS, {
    about: [{ project: wireProject(project), since, until }],
    sessions: lines,
  })
  try {
    const { text, model } = await askModel(kernel, prompt, {
      deadlineMs: DEADLINE_MS,
      instead: 'the digest is made of the findings themselves',
    })
    return { body: left === 0 ? text : `${text}\n\n${leaving(left, latest.length)}`, model }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The latest sessions that fit. The very latest one is always among them, cut when it must be. */
function withinBounds(latest: DigestOf['sessions']): object[] {
  const lines: object[] = []
  let size = 0
  for (const { date, name, findings } of latest) {
    const line = { date, name, findings: cut(findings, MOST_CHARACTERS) }
    size += JSON.stringify(line).length
    if (size > MOST_CHARACTERS && lines.length > 0) break
    lines.push(line)
  }
  return lines
}

const leaving = (left: number, of: number): string =>
  `_The ${left === 1 ? 'oldest' : `oldest ${left}`} of ${of} sessions ${left === 1 ? 'is' : 'are'} not covered._`
