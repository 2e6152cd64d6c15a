/**
 * Does anything need the owner? Each line says when it appears and when it goes. What was opened the owner's browser
 * remembers; the service keeps nothing of it.
 */
import { join } from 'node:path'
import { findOptions } from '../../briefing/briefing.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { wireProject } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'
import { spanOf } from '../durations.ts'
import { connectCommand, editCommand } from '../first-run.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions, type CalledSession } from '../sessions/called.ts'
import {
  findFailing,
  findHeld,
  findMishaps,
  findUnheard,
  findUnreadable,
  findWaitingPlans,
  findWaitingProposals,
} from './queries.ts'

export interface Line {
  /** Stays while the thing stays the same; a later mishap is another line. */
  id: string
  kind: keyof typeof RULES
  tone: 'danger' | 'attention'
  /** The same as programs read it. */
  sev?: 'danger' | 'warn'
  /** Its glyph. */
  icon?: Line['tone']
  /** What it is, in two or three words. */
  strong: string
  title: string
  /** Behind the title: who, and what else there is to know. */
  sub: string
  /** '' is the global scope; null: of no project. */
  project: string | null
  /** What it is about, or the event that says it; null while no screen shows that. */
  href: string | null
  at: Date
  /** Opening it lets the line go, in the browser that opened it. */
  opens?: true
  /** What settles it here. */
  act?: {
    label: string
    action: string
    fields: { name: string; value: string }[]
    /** What it does, where it is asked for twice. */
    text?: string
  }
  /** What settles it elsewhere. */
  command?: string
}

/** When a line of each kind appears, and when it goes. */
export const RULES = {
  mishap: 'A mishap that an agent reported. It goes when it was opened, and after 7 days at most.',
  failing:
    'One tool that failed three times or more in two sessions or more within the hour. It goes when it is less than that.',
  held: 'A claim whose holder was not heard for 15 minutes. It goes when the holder is heard again or the claim is released.',
  lapsed:
    'A claim whose lease is over. It goes when the task is claimed again, closed or released.',
  plan: 'A captured plan that was presented and waits for an approval. It goes when it is approved or written anew, or when the briefing leaves it alone.',
  hook: 'A client with sessions at work whose hooks were not heard for a day. It goes when one is heard, when no session is at work, and after a week.',
  proposals: 'Clean-ups that the gardener proposes. The line goes when none of them waits.',
  file: 'A file of knowledge that cannot be read. It goes when it can be read again.',
} as const

/** Of a claim that still runs. */
const RELEASES = 'Whoever carries it loses it at once, and any agent may take it up.'

const SEVERITIES = { danger: 'danger', attention: 'warn' } as const

const MISHAP_DAYS = 7
const MOST_MISHAPS = 50
/** Of one kind; the rest is one line that counts them. */
const MOST_OF_A_KIND = 5
const TEXT_CHARACTERS = 160

/** Returns what needs the owner: what is wrong first, then what waits. */
export async function inboxOf(app: ScreenApp): Promise<Line[]> {
  const { kernel } = app
  const groups = await Promise.all([
    mishaps(app),
    failing(app),
    unreadable(app),
    claims(app),
    plans(app, kernel),
    hooks(app, kernel),
    proposals(app),
  ])
  return groups.flat().map((line) => ({ ...line, sev: SEVERITIES[line.tone], icon: line.tone }))
}

async function mishaps({ kernel: { db }, owner, links }: ScreenApp): Promise<Line[]> {
  const rows = await findMishaps(db, owner, { days: MISHAP_DAYS, most: MOST_MISHAPS })
  const called = await calledSessions(
    db,
    owner,
    rows.flatMap(({ session_id }) => session_id ?? []),
  )
  return rows.map(({ id, ts, project, session_id, description }) => ({
    id: `mishap-${id}`,
    kind: 'mishap',
    tone: 'danger',
    strong: 'Mishap',
    title: oneLine(description, TEXT_CHARACTERS),
    sub: called.get(session_id ?? '')?.called ?? '',
    project,
    href: links.to('event', id),
    at: ts,
    opens: true,
  }))
}

async function failing({ kernel: { db }, owner, links }: ScreenApp): Promise<Line[]> {
  const rows = await findFailing(db, owner, {})
  return rows.map(({ tool, times, sessions, at, event, error }) => ({
    id: `failing-${tool}`,
    kind: 'failing',
    tone: 'danger',
    strong: `${tool} fails`,
    title: oneLine(error.replace(`${tool}: `, ''), TEXT_CHARACTERS),
    sub: `${times} times in ${sessions} sessions within the hour`,
    project: null,
    href: links.to('event', event),
    at,
  }))
}

async function unreadable({ kernel, owner }: ScreenApp): Promise<Line[]> {
  const rows = await findUnreadable(kernel.db, owner, {})
  const lines = rows.map(({ path, problem, at }): Line => ({
    id: `file-${path}`,
    kind: 'file',
    tone: 'danger',
    strong: 'Cannot be read',
    title: path,
    sub: problem,
    project: null,
    href: null,
    at,
    command: editCommand(join(kernel.config.data_dir, path)),
  }))
  return cut(lines, 'files cannot be read', null)
}

async function claims({ kernel: { db }, owner, links }: ScreenApp): Promise<Line[]> {
  const rows = await findHeld(db, owner, {})
  const called = await calledSessions(db, owner, [...new Set(rows.map(({ holder }) => holder))])
  const lines = rows.map(({ id, title, project, holder, lapsed, at, silent }): Line => {
    const who = otherThan(title, called.get(holder)) ?? 'a session that is gone'
    return {
      id: `${lapsed ? 'lapsed' : 'held'}-${id}`,
      kind: lapsed ? 'lapsed' : 'held',
      tone: 'attention',
      strong: lapsed ? 'Lapsed' : 'Holder silent',
      title,
      sub: `${who} · not heard for ${spanOf(silent)}`,
      project,
      href: links.to('task', id) ?? links.to('session', holder),
      at,
      act: {
        label: 'Release',
        action: `/console/tasks/${id}/release`,
        // What is carried again by now stays with its holder.
        fields: [
          { name: 'next', value: '/console/' },
          ...(lapsed ? [{ name: 'lapsed', value: '1' }] : []),
        ],
        ...(!lapsed && { text: RELEASES }),
      },
    }
  })
  return [
    ...cut(
      lines.filter(({ kind }) => kind === 'held'),
      'claims have a silent holder',
      '/console/now',
    ),
    ...cut(
      lines.filter(({ kind }) => kind === 'lapsed'),
      'leases have lapsed',
      '/console/now',
    ),
  ]
}

async function plans({ kernel: { db }, owner, links }: ScreenApp, kernel: Kernel): Promise<Line[]> {
  const { pending_plan_max_days: days } = await findOptions(kernel)
  const rows = await findWaitingPlans(db, owner, { days })
  const lines = rows.flatMap(({ id, title, project, plan, at }): Line[] => {
    if (plan === null) return []
    const of = wireProject(project)
    const page = links.to('plan', plan)
    return [
      {
        id: `plan-${id}`,
        kind: 'plan',
        tone: 'attention',
        strong: 'Plan waits',
        title,
        sub: 'for your approval',
        project,
        href: page ? `${page}?project=${encodeURIComponent(of)}` : links.to('note', id),
        at,
        act: {
          label: 'Approve',
          action: `/console/plans/${encodeURIComponent(plan)}/approve`,
          fields: [
            { name: 'project', value: of },
            { name: 'next', value: '/console/' },
          ],
        },
      },
    ]
  })
  return cut(lines, 'plans wait for an approval', null)
}

async function hooks({ owner }: ScreenApp, kernel: Kernel): Promise<Line[]> {
  const idle = kernel.config.sessions.idle_minutes
  const rows = await findUnheard(kernel.db, owner, { idle })
  const lines = rows.map(async ({ client, at, sessions }): Promise<Line> => ({
    id: `hook-${client}`,
    kind: 'hook',
    tone: 'attention',
    strong: 'Hooks silent',
    title: `${client} has ${sessions} ${sessions === 1 ? 'session' : 'sessions'} at work`,
    sub: 'its agents are told nothing',
    project: null,
    href: null,
    at,
    command: await connectCommand(kernel, `--client ${NAMES[client] ?? client}`),
  }))
  return Promise.all(lines)
}

async function proposals({ kernel: { db }, owner }: ScreenApp): Promise<Line[]> {
  const rows = await findWaitingProposals(db, owner, {})
  return rows.map(({ waiting, since }) => ({
    id: 'proposals',
    kind: 'proposals',
    tone: 'attention',
    strong: 'Gardener',
    title: `${waiting} ${waiting === 1 ? 'proposal waits' : 'proposals wait'} for a decision`,
    sub: '',
    project: null,
    href: '/console/gardener',
    at: since,
  }))
}

/** A session is called by what it claimed last, which the line says already: then by its handle. */
const otherThan = (title: string, session?: CalledSession): string | undefined =>
  session?.called === title ? session.name : session?.called

/** As `install-hooks` calls them. */
const NAMES: Record<string, string> = { 'claude-code': 'claude' }

/** A wall of one kind hides the others: the rest of it is one line. */
function cut(lines: Line[], words: string, href: string | null): Line[] {
  const rest = lines.slice(MOST_OF_A_KIND)
  const [first] = rest
  if (!first || rest.length === 1) return lines
  const { kind, tone, at } = first
  return [
    ...lines.slice(0, MOST_OF_A_KIND),
    {
      id: `${kind}-more`,
      kind,
      tone,
      strong: `${rest.length} more`,
      title: words,
      sub: '',
      project: null,
      href,
      at,
    },
  ]
}
