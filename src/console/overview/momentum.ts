/** What momentum adds to the overview: plans near their end, and the memory of the month. */
import type { Db } from '../../kernel/kernel.ts'
import { distanceOf, NEAR_END_PERCENT } from '../../plans/plans.ts'
import { scopeSql, wireProject, type OwnerScope } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'
import type { ScreenApp } from '../screen.ts'

interface NearRow {
  project: string
  plan: string
  /** Closed ones. */
  done: number
  steps: number
  moved: Date
  left: { id: string; title: string }[]
}
const near = scopeSql<{ percent: number; most: number; named: number }, NearRow, OwnerScope>(
  'overview/near',
)

const MOST_NEAR = 6
const MOST_NAMED = 5
const TITLE_CHARACTERS = 160

/** Good news among what asks for attention: the plans that are all but done. */
export async function nearLines({ kernel: { db }, owner, links }: ScreenApp) {
  const asked = { percent: NEAR_END_PERCENT, most: MOST_NEAR, named: MOST_NAMED }
  const rows = await near(db, owner, asked)
  return rows.map(({ project, plan, done, steps, moved, left }) => {
    const named = left.map(({ id, title }) => ({ id, title: oneLine(title, TITLE_CHARACTERS) }))
    const href = links.to('plan', plan)
    return {
      id: `near-${wireProject(project)}-${plan}`,
      kind: 'near' as const,
      tone: 'done' as const,
      sev: 'ok' as const,
      icon: 'done' as const,
      strong: distanceOf({ done, steps }),
      title: plan,
      sub: named.map(({ title }) => title).join(' · '),
      project,
      href: href && `${href}?project=${encodeURIComponent(wireProject(project))}`,
      at: moved,
      ...{ done, steps, left: named },
    }
  })
}

const MONTH_DAYS = 30
/** The first number of memories that are looked at; it is enough unless old demand outweighs that of the month. */
const FIRST_LOOK = 24

interface MonthRow {
  id: string | null
  name: string
  kind: string
  project: string
  description: string
  /** From 0 to below 1, of the month alone. */
  utility: number
  reads: number
  /** Different sessions that read it. */
  readers: number
  /** Those that asked for it in any way. */
  sessions: number
  injects: number
  enough: boolean
}
const month = scopeSql<{ days: number; look: number }, MonthRow, OwnerScope>('overview/month')

/** The memory that was of most use to agents within the last 30 days, whatever window the page has. */
export async function memoryOfTheMonth(db: Db, owner: OwnerScope) {
  for (let look = FIRST_LOOK; ; look *= 8) {
    const [row] = await month(db, owner, { days: MONTH_DAYS, look })
    if (!row!.enough) continue
    if (row!.id === null) return { found: false, memory: null, line: null, about: null }
    const { id, name, kind, project, reads, readers, injects, description } = row!
    const utility = Math.round(row!.utility * 100) / 100
    return {
      found: true,
      memory: { item_id: id, name, kind, project, utility, reads, readers, injects },
      line: lineOf(row!),
      about: oneLine(description, TITLE_CHARACTERS),
    }
  }
}

function lineOf({ reads, readers, sessions }: MonthRow): string {
  const asked =
    reads > 0
      ? [counted(reads, 'read'), counted(readers, 'session')]
      : [`found by ${counted(sessions, 'session')}`]
  return [...asked, `last ${MONTH_DAYS} days`].join(' · ')
}

const counted = (n: number, what: string): string =>
  `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
