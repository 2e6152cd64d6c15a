import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { lexemesOf } from '../passages/passages.ts'
import { readable, writable, type Reached, type Scope } from '../projects/projects.ts'
import type { Memory } from './file.ts'
import { linksOf } from './links.ts'
import { stageHeader } from './stage.ts'

/** Where a memory lies, whether it is active, and what the caller may do with it. */
export interface FoundMemory extends Reached {
  id: string
  name: string
  path: string
  content_hash: string
  invalid_at: Date | null
  superseded_by: string
}

const FOUND = [
  'id',
  'name',
  'project',
  'path',
  'content_hash',
  'invalid_at',
  'superseded_by',
] as const

/** By id, judged in the same statement. */
export function findMemory(db: Db, id: string, scope: Scope): Promise<FoundMemory | undefined> {
  return found(db, scope).where('id', '=', id).executeTakeFirst()
}

/**
 * A name means the project's active memory first, then a global one; then one that is no longer
 * active, in the same order.
 */
export function findByName(db: Db, name: string, scope: Scope): Promise<FoundMemory | undefined> {
  return findInProjects(db, name, scope, scope.searched)
}

/** The same among given projects, which have been resolved and judged for what is to be done. */
export function findInProjects(
  db: Db,
  name: string,
  scope: Scope,
  projects: readonly string[],
): Promise<FoundMemory | undefined> {
  return found(db, scope)
    .where('name', '=', name)
    .where('project', 'in', [...projects])
    .orderBy(sql`invalid_at is not null`)
    .orderBy(sql`project = ''`)
    .executeTakeFirst()
}

const found = (db: Db, scope: Scope) =>
  db
    .selectFrom('memories')
    .select(FOUND)
    .select([
      readable(scope, 'memories.project').as('readable'),
      writable(scope, 'memories.project').as('writable'),
    ])

/** How an active memory among those searched is shown in a list. */
export function findDescribed(
  db: Db,
  id: string,
  { searched }: Scope,
): Promise<{ name: string; description: string } | undefined> {
  return db
    .selectFrom('memories')
    .select(['name', 'description'])
    .where('id', '=', id)
    .where('invalid_at', 'is', null)
    .where('project', 'in', [...searched])
    .executeTakeFirst()
}

/** The row of a memory, past every fence. */
export function findRow(db: Db, id: string) {
  return db
    .selectFrom('memories')
    .select(['id', 'name', 'project', 'path', 'kind', 'invalid_at', 'superseded_by'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The id of the memory that owns the path, if there is one. */
export async function ownerOfPath(db: Db, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('memories')
    .select('id')
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.id
}

export async function pathOfMemory(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('memories').select('path').where('id', '=', id).executeTakeFirst()
  return row?.path
}

/** The row and the links of a memory, as its file says. */
export async function upsertMemory(
  db: Db,
  memory: Memory,
  path: string,
  contentHash: string,
): Promise<void> {
  const { id, created, updated, extra: _, ...fields } = memory
  const { status, gate } = memory.kind === 'stage' ? stageHeader(memory.body) : NO_STAGE
  const row = {
    ...fields,
    stage_status: status,
    stage_gate: gate,
    path,
    content_hash: contentHash,
    created_at: created,
    updated_at: updated,
    heading: sql<string>`${lexemesOf(`${memory.name}\n\n${memory.description}`)}::tsvector`,
  }
  await db
    .with('gone', (db) => linksFrom(db, 'memory', id))
    .insertInto('memories')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
  await addLinks(db, 'memory', id, memory.body)
}

const NO_STAGE = { status: '', gate: '' }

async function addLinks(db: Db, kind: string, id: string, body: string): Promise<void> {
  const links = linksOf(body)
  if (links.length === 0) return
  const rows = links.map((link) => ({ source_kind: kind, source_id: id, ...link }))
  await db.insertInto('links').values(rows).execute()
}

const linksFrom = (db: Pick<Db, 'deleteFrom'>, kind: string, id: string) =>
  db.deleteFrom('links').where('source_kind', '=', kind).where('source_id', '=', id)

export async function deleteMemoryRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('memories').where('id', '=', id).execute()
  await linksFrom(db, 'memory', id).execute()
}
