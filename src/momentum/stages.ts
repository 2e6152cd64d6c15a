/** How far a project has grown. A stage that was reached stays reached. */
import { sql } from 'kysely'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { mint } from '../kernel/moments.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { scopeSql, type OwnerScope } from '../projects/projects.ts'
import { stageReached } from './events.ts'

export type StageName = 'seedling' | 'sprouting' | 'established' | 'deep-rooted'

/** All that a stage asks for, together. */
interface Bars {
  /** Since the project was registered. */
  days: number
  /** Active ones. */
  memories: number
  /** That were ever recorded in it. */
  events: number
  /** Percent of its active memories that were put before an agent, in the window that is looked at. */
  reach: number
}

/** From the first to the last. */
const STAGES: readonly (Bars & { stage: StageName })[] = [
  { stage: 'seedling', days: 0, memories: 0, events: 0, reach: 0 },
  { stage: 'sprouting', days: 7, memories: 5, events: 25, reach: 0 },
  { stage: 'established', days: 30, memories: 15, events: 250, reach: 0 },
  { stage: 'deep-rooted', days: 90, memories: 40, events: 1_000, reach: 40 },
]
const BARS = ['days', 'memories', 'events', 'reach'] as const
const UNITS: Record<keyof Bars, (n: number) => string> = {
  days: (n) => `${n} days of age`,
  memories: (n) => `${n} active memories`,
  events: (n) => `${n.toLocaleString('en')} events`,
  reach: (n) => `${n} % reach`,
}

export interface Stage {
  stage: StageName
  /** When it was reached; of the first one when the project was registered, null when it was not. */
  since: Date | null
  /** What the next stage still asks for, in words; null when there is none. */
  next: string | null
}

/** What its page knows of a project. */
export interface Grown {
  slug: string
  memories: number
  /** In percent; 0 where there is no memory. */
  reach_rate: number
}

interface Row {
  project: string
  /** When it was registered. */
  registered: Date | null
  days: number
  events: number
  /** The stages that were reached, by their names. */
  reached: Partial<Record<StageName, string>>
}
const known = scopeSql<{ projects: readonly string[] }, Row, OwnerScope>('momentum/stages')

/** Returns the stages of these projects, and records each that is higher than the one before. The global scope has none. */
export async function stagesOf(
  kernel: Kernel,
  owner: OwnerScope,
  grown: readonly Grown[],
): Promise<Map<string, Stage>> {
  const projects = grown.filter(({ slug }) => slug !== '')
  const found = await findStages(kernel.db, owner, projects)
  if (!found.some(isHigher)) return new Map(found.map(stageOf))
  return inTransaction(kernel, async (kernel) => {
    // Of two that look at once one waits here, and then finds what the other recorded.
    await sql`select pg_advisory_xact_lock(hashtext(${stageReached.name}))`.execute(kernel.db)
    for (const one of (await findStages(kernel.db, owner, projects)).filter(isHigher)) {
      const { slug: project, latched, satisfied } = one
      const { stage } = STAGES[satisfied]!
      const payload = { stage, from: STAGES[latched]!.stage }
      await mint(kernel, stageReached, {
        ...{ by: NOBODY, project, payload },
        item: `${stage}:${project}`,
      })
    }
    return new Map((await findStages(kernel.db, owner, projects)).map(stageOf))
  })
}

interface Found extends Row {
  slug: string
  bars: Bars
  /** The places of the highest stage that was reached before, and of the highest whose bars all hold. */
  latched: number
  satisfied: number
}

async function findStages(db: Db, owner: OwnerScope, grown: readonly Grown[]): Promise<Found[]> {
  if (grown.length === 0) return []
  const rows = await known(db, owner, { projects: grown.map(({ slug }) => slug) })
  const byProject = new Map(rows.map((row) => [row.project, row]))
  return grown.flatMap(({ slug, memories, reach_rate: reach }) => {
    const row = byProject.get(slug)
    if (!row) return []
    const bars = { days: row.days, events: row.events, memories, reach }
    const latched = STAGES.findLastIndex(({ stage }, at) => at === 0 || row.reached[stage])
    const satisfied = STAGES.findLastIndex((asked) => BARS.every((bar) => bars[bar] >= asked[bar]))
    return [{ ...row, slug, bars, latched, satisfied }]
  })
}

const isHigher = ({ latched, satisfied }: Found): boolean => satisfied > latched

function stageOf({ slug, registered, reached, latched, bars }: Found): [string, Stage] {
  const { stage } = STAGES[latched]!
  const at = reached[stage]
  const since = at === undefined ? registered : new Date(at)
  return [slug, { stage, since, next: wantedBy(STAGES[latched + 1], bars) }]
}

function wantedBy(next: (Bars & { stage: StageName }) | undefined, bars: Bars): string | null {
  if (!next) return null
  const missing = BARS.filter((bar) => bars[bar] < next[bar])
  const words = missing.map((bar) => `${UNITS[bar](next[bar])} (now ${Math.floor(bars[bar])})`)
  return `${next.stage} asks for ${words.join(', ')}`
}
