/** The rows of proposals. Only this file writes them. */
import { sql, type Selectable } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import type { Tables } from '../postgres/tables.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'
import type { Lay } from './effects/effect.ts'
import type { ProposalKind, ProposalStatus } from './kinds.ts'
import type { Payloads } from './payloads.ts'

/** A proposal, whatever its kind. */
export type Proposal = {
  [Kind in ProposalKind]: Row & { kind: Kind; payload: Payloads[Kind] & { key: string } }
}[ProposalKind]

type Row = Omit<Selectable<Tables['proposals']>, 'kind' | 'payload' | 'status' | 'result'> & {
  status: ProposalStatus
  result: Record<string, unknown> | null
}

/** What is about to be proposed. */
export type Draft = {
  [Kind in ProposalKind]: DraftOf<Kind>
}[ProposalKind]

export interface DraftOf<Kind extends ProposalKind> {
  id: string
  kind: Kind
  /** What it is about: the same key is proposed again on newer evidence only. */
  key: string
  /** Null: now, since somebody asks for it. */
  evidence_at: Date | null
  /** Those it touches beside those in which its items lie. */
  projects: readonly string[]
  items: readonly string[]
  /** '': somebody asked for it. */
  pass?: string
  plan?: string
  payload: Payloads[Kind]
}

/**
 * Makes those that may be made and returns their ids. Blocked is what is pending or hidden, and what was decided after
 * its evidence.
 */
export async function insertProposals(db: Db, drafts: readonly Draft[]): Promise<Set<string>> {
  if (drafts.length === 0) return new Set()
  const rows = drafts.map(({ key, payload, pass = '', plan = '', ...draft }) => ({
    ...draft,
    pass,
    plan,
    dedupe_key: key,
    payload: { key, ...payload },
  }))
  const { rows: made } = await sql<{ id: string }>`
    insert into proposals (id, kind, dedupe_key, evidence_at, projects, items, pass, plan, payload)
    select d.id, d.kind, d.dedupe_key, e.at, d.projects, d.items, d.pass, d.plan, d.payload
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d (
      id text, kind text, dedupe_key text, evidence_at timestamptz, projects text[], items text[],
      pass text, plan text, payload jsonb
    ), lateral (select coalesce(d.evidence_at, loam_now()) as at) e
    where not is_settled(d.dedupe_key, e.at)
    on conflict do nothing
    returning id`.execute(db)
  return new Set(made.map(({ id }) => id))
}

const byId = (db: Db, id: string) => db.selectFrom('proposals').selectAll().where('id', '=', id)

/** Throws a refusal when there is none. */
export async function findProposal(db: Db, id: string): Promise<Proposal> {
  const row = await byId(db, id).executeTakeFirst()
  if (!row) throw missing(id)
  return row as unknown as Proposal
}

/** The same, and nobody else decides it before the transaction ends. */
export async function lockProposal(db: Db, id: string): Promise<Proposal> {
  const row = await byId(db, id).forUpdate().executeTakeFirst()
  if (!row) throw missing(id)
  return row as unknown as Proposal
}

/** Where these memories lie. */
export async function placesNow(db: Db, ids: readonly string[]): Promise<Lay> {
  if (ids.length === 0) return (memory) => memory
  const rows = await db
    .selectFrom('memories')
    .select(['id', 'name', 'project'])
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (memory) => byId.get(memory.id) ?? memory
}

export const missing = (id: string) => notFound(`proposal with id ${JSON.stringify(id)}`)

/** What a decision makes of a proposal. */
export async function settle(
  db: Db,
  id: string,
  {
    status,
    by,
    result = null,
  }: { status: Exclude<ProposalStatus, 'pending'>; by: string; result?: object | null },
): Promise<void> {
  await db
    .updateTable('proposals')
    .set({
      status,
      resolved_by: by,
      resolved_at: sql<Date>`loam_now()`,
      result: result && JSON.stringify(result),
    })
    .where('id', '=', id)
    .execute()
}

/** When it was hidden stays the time from which evidence counts as newer. */
export async function unhide(db: Db, id: string): Promise<void> {
  await db.updateTable('proposals').set({ status: 'dismissed' }).where('id', '=', id).execute()
}

/** Nothing is decided any more. */
export async function reopen(db: Db, id: string): Promise<void> {
  await db
    .updateTable('proposals')
    .set({ status: 'pending', resolved_by: '', resolved_at: null, result: null })
    .where('id', '=', id)
    .execute()
}

/** The proposal of the same that waits, if there is one. */
export async function openTwin(
  db: Db,
  { dedupe_key }: Pick<Proposal, 'dedupe_key'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('proposals')
    .select('id')
    .where('dedupe_key', '=', dedupe_key)
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirst()
  return row?.id
}

/** The proposal that waits under a key, if there is one. */
export const pendingOf = async (db: Db, dedupe_key: string): Promise<string[]> => {
  const twin = await openTwin(db, { dedupe_key })
  return twin === undefined ? [] : [twin]
}

/** Whether the same was hidden for good. */
export async function isHidden(db: Db, dedupe_key: string): Promise<boolean> {
  const row = await db
    .selectFrom('proposals')
    .select('id')
    .where('dedupe_key', '=', dedupe_key)
    .where('status', '=', 'hidden')
    .executeTakeFirst()
  return row !== undefined
}

/** The ids of what waits of a plan: what makes its projects first, the rest as it was proposed. */
export async function pendingOfPlan(db: Db, plan: string): Promise<string[]> {
  const rows = await db
    .selectFrom('proposals')
    .select('id')
    .where('plan', '=', plan)
    .where('plan', '<>', sql.lit(''))
    .where('status', '=', sql.lit('pending'))
    .orderBy(sql`kind = 'split'`, 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The projects that a plan makes, or moves something to. */
export async function targetsOfPlan(db: Db, plan: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('proposals')
    .select(['kind', 'payload'])
    .where('plan', '=', plan)
    .where('plan', '<>', sql.lit(''))
    .where('status', 'in', ['pending', 'applied'])
    .execute()
  const targets = new Set<string>()
  for (const row of rows as unknown as Pick<Proposal, 'kind' | 'payload'>[]) {
    if (row.kind === 'reproject') targets.add((row.payload as Payloads['reproject']).to)
    if (row.kind !== 'split') continue
    const { children, shared } = row.payload as Payloads['split']
    for (const { slug } of children) targets.add(slug)
    if ('slug' in shared) targets.add((shared as { slug: string }).slug)
  }
  return targets
}

/** Gives a move another destination. */
export async function rewriteMove(
  db: Db,
  id: string,
  { key, to, projects }: { key: string; to: string; projects: string[] },
): Promise<void> {
  await db
    .updateTable('proposals')
    .set({
      dedupe_key: key,
      projects,
      payload: sql`payload || ${JSON.stringify({ key, to })}::jsonb`,
    })
    .where('id', '=', id)
    .execute()
}

/** Of these keys, those that are not to be proposed now. */
export async function settledAmong(
  db: Db,
  asked: readonly { key: string; evidence_at: Date }[],
): Promise<Set<string>> {
  if (asked.length === 0) return new Set()
  const keys = asked.map(({ key }) => key)
  const times = asked.map(({ evidence_at }) => evidence_at)
  const { rows } = await sql<{ key: string }>`
    select u.key from unnest(${keys}::text[], ${times}::timestamptz[]) as u (key, evidence_at)
    where is_settled(u.key, u.evidence_at)`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** The memories that a merge which waits would drop. One of which a side holds no more would drop none. */
export async function toBeDropped(db: Db, owner: OwnerScope): Promise<Set<string>> {
  checkOwner(owner)
  const { rows } = await sql<{ id: string }>`
    select drop.id
    from proposals p
      join memories drop on drop.id = p.payload -> 'drop' ->> 'id' and drop.invalid_at is null
      join memories keep on keep.id = p.payload -> 'keep' ->> 'id' and keep.invalid_at is null
    where p.status = 'pending' and p.kind = 'merge'`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
