/** What the owner sees of the gardener: what waits, what was decided, what is hidden, and how the last runs went. */
import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { checkOwner, isFenced, type Isolation, type OwnerScope } from '../projects/projects.ts'
import { effectOf } from './effects.ts'
import type { ProposalKind } from './kinds.ts'
import type { PassReport } from './run-store.ts'
import type { Proposal } from './store.ts'

/** The parts of the queue, in their order, and the kinds of each. A split comes with the moves of its plan. */
export const SECTIONS: Readonly<Record<Section, readonly ProposalKind[]>> = {
  split: ['split'],
  errors: ['tool_error', 'memory_wanted'],
  cleanup: ['merge', 'consolidate', 'archive', 'rekind', 'reproject'],
  plans: ['abandon_plan'],
  digests: ['digest'],
}
export type Section = 'split' | 'errors' | 'cleanup' | 'plans' | 'digests'

/** A memory or a note that a proposal is about, as it is now. */
export interface ItemNow {
  id: string
  /** Of a note its title. */
  name: string
  project: string
  kind: string
  description: string
  /** False once it has ended. */
  active: boolean
  favorite: boolean
}

/** A proposal as its owner sees it. */
export interface Card {
  proposal: Proposal
  /** Of its items those that are there still. */
  items: ItemNow[]
  /** A project that it touches is fenced by now. */
  fenced: boolean
  /** Once applied, nothing takes it back. */
  final: boolean
}

export interface Queue {
  cards: Card[]
  /** All that wait, whatever is shown. */
  pending: number
  /** Of those, what somebody asked for. */
  requested: number
  /** By section. */
  sections: Record<Section, number>
}

export interface QueueFilter {
  section?: Section
  /** Asked for, or found by a pass. */
  origin?: 'request' | 'pass'
  limit: number
}

/** What waits: newest first, and what belongs to a plan behind what makes its projects. */
export async function readQueue(
  { db }: Kernel,
  owner: OwnerScope,
  { section, origin, limit }: QueueFilter,
): Promise<Queue> {
  checkOwner(owner)
  const [rows, counts] = await Promise.all([
    db
      .selectFrom('proposals as p')
      .selectAll('p')
      .where('p.status', '=', sql.lit('pending'))
      .$if(section !== undefined, (query) =>
        query.where(({ and, eb }) =>
          section === 'split'
            ? eb('p.plan', '<>', '')
            : and([eb('p.plan', '=', ''), eb('p.kind', 'in', SECTIONS[section!])]),
        ),
      )
      .$if(origin !== undefined, (query) =>
        query.where('p.pass', origin === 'request' ? '=' : '<>', ''),
      )
      // A plan stands where its newest proposal does.
      .orderBy(
        sql`max(p.created_at) over (partition by case p.plan when '' then p.id else p.plan end)`,
        'desc',
      )
      .orderBy('p.plan')
      .orderBy(sql`p.kind = 'split'`, 'desc')
      .orderBy('p.id', 'desc')
      .limit(limit)
      .execute(),
    db
      .selectFrom('proposals')
      .select(['kind', sql<boolean>`pass = ''`.as('asked'), sql<boolean>`plan <> ''`.as('planned')])
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .where('status', '=', sql.lit('pending'))
      .groupBy(['kind', 'asked', 'planned'])
      .execute(),
  ])
  const sections: Queue['sections'] = { split: 0, errors: 0, cleanup: 0, plans: 0, digests: 0 }
  let [pending, requested] = [0, 0]
  for (const { kind, asked, planned, n } of counts) {
    pending += Number(n)
    if (asked) requested += Number(n)
    sections[planned ? 'split' : sectionOf(kind as ProposalKind)] += Number(n)
  }
  const cards = await cardsOf(db, owner, rows as unknown as Proposal[])
  return { cards, pending, requested, sections }
}

/** Where a proposal of a kind stands in the queue. */
export function sectionOf(kind: ProposalKind): Section {
  for (const [section, kinds] of Object.entries(SECTIONS)) {
    if (kinds.includes(kind)) return section as Section
  }
  throw new Error(`no section of the queue holds ${kind}`)
}

/** One proposal, whatever became of it; undefined: there is none. */
export async function readCard(
  { db }: Kernel,
  owner: OwnerScope,
  id: string,
): Promise<Card | undefined> {
  checkOwner(owner)
  const row = await db.selectFrom('proposals').selectAll().where('id', '=', id).executeTakeFirst()
  return row && (await cardsOf(db, owner, [row as unknown as Proposal]))[0]
}

/** A proposal that was decided, and whether that can be taken back. */
export interface Decided extends Card {
  undo: 'possible' | 'final' | 'changed since'
}

const SHOWN_DECIDED = 10

/** What was decided last, the latest first; `page` counts from 1. `more`: there are older ones. */
export async function readDecided(
  { db }: Kernel,
  owner: OwnerScope,
  page = 1,
): Promise<{ decided: Decided[]; more: boolean }> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('proposals as p')
    .selectAll('p')
    .select(
      sql<boolean>`exists (
        select from proposal_files k left join files f on f.path = k.path
        where k.proposal_id = p.id and f.content_hash is distinct from k.after)`.as('changed'),
    )
    .where('p.status', '<>', sql.lit('pending'))
    .orderBy('p.resolved_at', 'desc')
    .orderBy('p.id', 'desc')
    .offset((page - 1) * SHOWN_DECIDED)
    .limit(SHOWN_DECIDED + 1)
    .execute()
  const shown = rows.slice(0, SHOWN_DECIDED) as unknown as Proposal[]
  const cards = await cardsOf(db, owner, shown)
  const decided = cards.map((card, nth) => ({ ...card, undo: undoOf(card, rows[nth]!.changed) }))
  return { decided, more: rows.length > SHOWN_DECIDED }
}

function undoOf({ proposal }: Card, changed: boolean): Decided['undo'] {
  if (proposal.status !== 'applied') return 'possible'
  if (effectOf(proposal.kind).final || proposal.result?.['noop'] === true) return 'final'
  return changed ? 'changed since' : 'possible'
}

/** Of what is hidden for good: as many as a page holds. */
const SHOWN_HIDDEN = 200

/** What is hidden for good, the latest first, and how many there are. */
export async function readHidden(
  { db }: Kernel,
  owner: OwnerScope,
): Promise<{ hidden: Card[]; total: number }> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .select(sql<number>`(count(*) over ())::int`.as('total'))
    .where('status', '=', 'hidden')
    .orderBy('resolved_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN_HIDDEN)
    .execute()
  const hidden = await cardsOf(db, owner, rows as unknown as Proposal[])
  return { hidden, total: rows[0]?.total ?? 0 }
}

/** A run as it is remembered. */
export interface PastRun {
  id: string
  started_at: Date
  ended_at: Date
  passes: PassReport[]
}

/** The last runs, the latest first. */
export async function readRuns(
  { db }: Kernel,
  owner: OwnerScope,
  limit: number,
): Promise<PastRun[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('gardener_runs')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows as unknown as PastRun[]
}

async function cardsOf(
  db: Kernel['db'],
  owner: OwnerScope,
  proposals: readonly Proposal[],
): Promise<Card[]> {
  checkOwner(owner)
  const ids = [...new Set(proposals.flatMap(({ items }) => items))]
  const projects = [...new Set(proposals.flatMap(({ projects }) => projects))]
  const { rows: items } = await sql<ItemNow>`
    select m.id, m.name, m.project, m.kind, m.description, m.invalid_at is null as active, m.favorite
    from memories m where m.id = any(${ids}::text[])
    union all
    select n.id, n.title, n.project, 'note', n.description, true, n.favorite
    from notes n where n.id = any(${ids}::text[])`.execute(db)
  const touched = [...new Set([...projects, ...items.map(({ project }) => project)])]
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'isolation'])
    .where('slug', 'in', touched.length > 0 ? touched : [''])
    .execute()
  const closed = new Set(
    rows
      .filter(({ isolation }) => isFenced({ isolation: isolation as Isolation }))
      .map(({ slug }) => slug),
  )
  const byId = new Map(items.map((item) => [item.id, item]))
  return proposals.map((proposal) => {
    const own = proposal.items.flatMap((id) => byId.get(id) ?? [])
    const all = [...proposal.projects, ...own.map(({ project }) => project)]
    const fenced = all.some((project) => closed.has(project))
    return { proposal, items: own, fenced, final: effectOf(proposal.kind).final === true }
  })
}
