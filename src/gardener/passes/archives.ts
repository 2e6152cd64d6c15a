/** Memories that nobody needs any more, for three reasons. A memory is proposed for one of them at a time. */
import { newId } from '../../kernel/id.ts'
import { wireTime } from '../../kernel/clock.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { unavailable } from '../../kernel/refusal.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { memoryFileKind } from '../../memories/memories.ts'
import type { Brief } from '../payloads.ts'
import type { Draft, DraftOf } from '../store.ts'
import type { Findings, Pass } from './pass.ts'

interface Quiet extends Brief {
  last_activity: Date
  evidence_at: Date
}

/** A row that tells how many there are. */
type Counted<Row> = Row & { found: number }

type Stale = Quiet & { days: number; last: string | null }
const stale = scopeSql<{ days: number; after: string; page: number }, Stale, OwnerScope>(
  'gardener/stale',
)

/** Memories that one statement looks at. */
const PAGE = 1_000

/** Nobody changed it, was shown it or read it for a long time. */
export const staleness: Pass = {
  name: 'staleness',
  async look(kernel, owner, most) {
    await mustAllBeRead(kernel)
    const { staleness_days: days } = kernel.config.gardener
    let [longest, count, after]: [Stale[], number, string] = [[], 0, '']
    for (;;) {
      const rows = await stale(kernel.db, owner, { days, after, page: PAGE })
      const last = rows[0]?.last
      if (!last) break
      after = last
      const quiet = rows.filter(({ id }) => id !== null)
      count += quiet.length
      longest = [...longest, ...quiet].toSorted(byActivity).slice(0, most)
    }
    return {
      drafts: longest.map((row) =>
        archiving(kernel, this, row, `stale: not changed, shown or read for ${row.days} days`),
      ),
      found: count,
    }
  },
}

/** Longest ago first. */
const byActivity = (a: Quiet, b: Quiet): number =>
  a.last_activity.getTime() - b.last_activity.getTime() || (a.id < b.id ? -1 : 1)

const stages = scopeSql<
  { days: number; most: number },
  Counted<Quiet & { days: number; status: string }>,
  OwnerScope
>('gardener/stages')

/** A stage stands in every briefing, so that it is never quiet. It is over when it says so, or says nothing. */
export const staleStage: Pass = {
  name: 'stale-stage',
  isOn: ({ stale_stage_days }) => stale_stage_days > 0,
  async look(kernel, owner, most) {
    await mustAllBeRead(kernel)
    const { stale_stage_days: days } = kernel.config.gardener
    const rows = await stages(kernel.db, owner, { days, most })
    return found(rows, (row) => {
      const said = row.status ? `its status is ${row.status}` : 'its header names no status'
      return archiving(kernel, this, row, `${said}, and it was not changed for ${row.days} days`)
    })
  },
}

/** So often in briefings, in so many days, of a memory so old. */
const SHOWS = 20
const SHOWN_DAYS = 30
const YOUNG_DAYS = 14

const dead = scopeSql<
  { days: number; young: number; shows: number; most: number },
  Counted<Quiet & { shown: number }>,
  OwnerScope
>('gardener/dead_weight')

/** It takes room in every briefing, and nobody asks for it. */
export const deadWeight: Pass = {
  name: 'dead-weight',
  async look(kernel, owner, most) {
    await mustAllBeRead(kernel)
    const asked = { days: SHOWN_DAYS, young: YOUNG_DAYS, shows: SHOWS, most }
    const rows = await dead(kernel.db, owner, asked)
    const often = `in ${SHOWS} briefings or more of the last ${SHOWN_DAYS} days`
    return found(rows, (row) => archiving(kernel, this, row, `${often}, and nobody asked for it`))
  },
}

function archiving(
  kernel: Kernel,
  { name: pass }: Pass,
  { id, name, project, kind, description, last_activity, evidence_at }: Quiet,
  reason: string,
): DraftOf<'archive'> {
  const brief = { id, name, project, kind, description }
  return {
    id: newId(kernel.clock.now()),
    kind: 'archive',
    key: `archive:${id}`,
    evidence_at,
    projects: [project],
    items: [id],
    pass,
    payload: { ...brief, reason, last_activity: wireTime(last_activity) },
  }
}

const found = <Row extends Quiet>(
  rows: readonly Counted<Row>[],
  draft: (row: Row) => Draft,
): Findings => ({
  drafts: rows.map(draft),
  found: rows[0]?.found ?? 0,
})

/** A file that cannot be read may link to any of them: that nobody does is then not known. */
async function mustAllBeRead({ db }: Kernel): Promise<void> {
  const unread = await db
    .selectFrom('files')
    .select('path')
    .where('problem', 'is not', null)
    .where('path', 'like', `${memoryFileKind.root}/%`)
    .limit(1)
    .executeTakeFirst()
  if (unread) {
    throw unavailable(
      `${unread.path} cannot be read, and it may link to what seems unused: mend it`,
    )
  }
}
