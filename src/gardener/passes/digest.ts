/** What the sessions of a project found in a month, as one note. */
import { newId } from '../../kernel/id.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { invalid } from '../../kernel/refusal.ts'
import { scopeSql, wireProject, type AnyScope, type OwnerScope } from '../../projects/projects.ts'
import { NO_SUMMARY } from '../../sessions/sessions.ts'
import { writeDigest } from '../digest-by-model.ts'
import type { DraftOf } from '../store.ts'
import { databaseTime, DAY_MS } from './clock.ts'
import { dayOf, digestText, type DigestParts, type Ended, type Told } from './digest-text.ts'
import type { Pass } from './pass.ts'

/** What fewer sessions found is read as it is. */
const LEAST = 2
/** What is read of a month: so many sessions, so many characters of each, and so much of each sort that ended. */
const MOST_SESSIONS = 500
const LONGEST = 2_000
const MOST_ENDED = 20

interface DueParams {
  month: string
  since: Date
  until: Date
  least: number
  blank: string
  most: number
}

interface Due {
  project: string
  /** How many there are. */
  found: number
}

const due = scopeSql<DueParams, Due, OwnerScope>('gardener/digests_due')

/**
 * The months that are over, for each project in which two sessions or more ended with findings. All are months of UTC.
 *
 * A month is proposed from its end on, until it ended more than `gardener.digest_days` days ago. An earlier one can be
 * asked for. However few those days are, a digest covers the whole month. After a decision on it, two more sessions
 * of that month must have ended before it is proposed again.
 */
export const digest: Pass = {
  name: 'digest',
  async look(kernel, owner, most) {
    const now = await databaseTime(kernel.db)
    const drafts: DraftOf<'digest'>[] = []
    let found = 0
    for (const month of monthsOver(now, kernel.config.gardener.digest_days)) {
      const bounds = { month, since: beginOf(month), until: beginOf(monthAfter(month)) }
      const rows = await due(kernel.db, owner, { ...bounds, least: LEAST, blank: NO_SUMMARY, most })
      for (const { project } of rows.slice(0, most - drafts.length)) {
        const draft = await draftDigest(kernel, owner, project, month)
        if (draft) drafts.push(draft)
      }
      found += rows[0]?.found ?? 0
    }
    return { drafts, found }
  },
}

/**
 * Returns the digest of a project for a month, YYYY-MM, whether it was decided on before or not. The month may be the
 * current one: it is covered as far as it has come. Without a month it is the current one, or the one before while
 * too little was found in it. `asked` says that somebody asked for it, which is evidence of its own.
 *
 * Returns undefined when fewer than two sessions ended with findings, and when the scope may not read the project.
 *
 * @throws Refusal when the month is none
 */
export async function draftDigest(
  kernel: Kernel,
  scope: AnyScope,
  project: string,
  month?: string,
  asked?: { request_text: string },
): Promise<DraftOf<'digest'> | undefined> {
  const now = await databaseTime(kernel.db)
  const months =
    month === undefined ? [monthOf(now), monthBefore(monthOf(now))] : [checkMonth(month)]
  for (const month of months) {
    const found = await sessionsOf(kernel.db, scope, project, month)
    if (found.length > 0 && found[0]!.found >= LEAST) {
      return draftOf(kernel, scope, { project, month, now, found, asked })
    }
  }
  return undefined
}

interface SessionParams {
  slug: string
  since: Date
  until: Date
  blank: string
  longest: number
  most: number
}

interface Session extends Told {
  /** How many there are in the month. */
  found: number
  /** When the latest was last heard. */
  newest: Date
}

const ended = scopeSql<SessionParams, Session, AnyScope>('gardener/digest_sessions')

/** The latest sessions of a month. */
const sessionsOf = (db: Db, scope: AnyScope, project: string, month: string): Promise<Session[]> =>
  ended(db, scope, {
    slug: project,
    since: beginOf(month),
    until: beginOf(monthAfter(month)),
    blank: NO_SUMMARY,
    longest: LONGEST,
    most: MOST_SESSIONS,
  })

interface Drafting {
  project: string
  month: string
  now: Date
  found: readonly Session[]
  asked: { request_text: string } | undefined
}

async function draftOf(
  kernel: Kernel,
  scope: AnyScope,
  { project, month, now, found: sessions, asked }: Drafting,
): Promise<DraftOf<'digest'>> {
  const { found, newest } = sessions[0]!
  const last = new Date(beginOf(monthAfter(month)).getTime() - 1)
  const [since, until] = [dayOf(beginOf(month)), dayOf(now < last ? now : last)]
  const { body, model } = await write(kernel, scope, { project, since, until, found, sessions })
  return {
    id: newId(kernel.clock.now()),
    kind: 'digest',
    key: `digest:${project}:${month}`,
    evidence_at: asked ? now : newest,
    projects: [project],
    items: [],
    ...(!asked && { pass: digest.name }),
    payload: {
      id: newId(kernel.clock.now()),
      ...{ project, month, since, until },
      session_count: found,
      title: `Digest of ${wireProject(project)}, ${since} to ${until}`,
      ...{ body, model },
      ...(asked && { source: 'request' as const, request_text: asked.request_text }),
    },
  }
}

interface WorkParams {
  slug: string
  since: Date
  until: Date
  most: number
}

const work = scopeSql<WorkParams, Ended, AnyScope>('gardener/digest_work')

/** The text, and the chat model that wrote it: '' when it is made of what was found as it is. */
async function write(
  kernel: Kernel,
  scope: AnyScope,
  parts: Omit<DigestParts, 'ended'>,
): Promise<{ body: string; model: string }> {
  const { project, since, until, sessions } = parts
  const told = sessions.map(({ at, ...session }) => ({ ...session, date: dayOf(at) }))
  const written = await writeDigest(kernel, { project, since, until, sessions: told })
  if (written) return written
  const ended = await work(kernel.db, scope, {
    slug: project,
    since: new Date(since),
    until: new Date(new Date(until).getTime() + DAY_MS),
    most: MOST_ENDED,
  })
  return { body: digestText({ ...parts, ended }), model: '' }
}

function checkMonth(month: string): string {
  if (/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month)) return month
  throw invalid(`invalid month ${JSON.stringify(month.slice(0, 100))}: write it as YYYY-MM`)
}

/** The months that are over since no more than so many days, the latest first. */
function monthsOver(now: Date, days: number): string[] {
  const months: string[] = []
  const first = monthOf(new Date(Math.max(0, now.getTime() - days * DAY_MS)))
  for (let month = monthOf(now); month > first; months.push(month)) month = monthBefore(month)
  return months
}

/** Months as YYYY-MM, in UTC. */
const monthOf = (time: Date): string => time.toISOString().slice(0, 7)

const beginOf = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`)

const monthBefore = (month: string): string => monthOf(new Date(beginOf(month).getTime() - 1))

const monthAfter = (month: string): string =>
  monthOf(new Date(beginOf(month).getTime() + 31 * DAY_MS))
