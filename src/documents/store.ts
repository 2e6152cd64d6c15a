/** How documents are found: by id, by name and by path. Their rooms write the rows. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { scopeSql, searchedOf, type Reached, type Scope } from '../projects/projects.ts'
import { documentPath } from './file.ts'
import type { Document, DocumentKind } from './kind.ts'

/** Where a document lies. */
export interface Placed {
  id: string
  name: string
  project: string
  path: string
}

/** What was found for a caller, and what the caller may do with it. */
export interface Found extends Placed, Reached {
  content_hash: string
  /** False when it has ended. */
  active: boolean
}

/** `cut` is what was left of a long name while such were cut. */
export type Address = { id: string } | { name: string; cut?: string }

const placed = (db: Db, { table, nameKey }: DocumentKind) =>
  db.selectFrom(table).select(['id', 'project', 'path']).select(sql.ref<string>(nameKey).as('name'))

type Sought = {
  kind: DocumentKind['kind']
  id: string | null
  name: string | null
  cut: string | null
  projects: readonly string[]
}
const find = scopeSql<Sought, Found>('documents/find', { kept: true })

/**
 * Finds a document and judges it in the same statement. A name means the one of the project first,
 * then a global one; a document that has ended comes last, in the same order.
 *
 * `projects` are those that a name is looked up in; they have been resolved and judged. What has no row
 * is looked for among the files, outside of a transaction.
 */
export async function findDocument(
  kernel: Kernel,
  kind: DocumentKind,
  scope: Scope,
  address: Address,
  projects: readonly string[] = searchedOf(scope),
): Promise<Found | undefined> {
  const found = await findRow(kernel.db, kind, scope, address, projects)
  if (found || kernel.db.isTransaction) return found
  const missed =
    'id' in address ? address : { paths: projects.flatMap((at) => pathsOf(kind, at, address)) }
  if (!(await kernel.catchUp.lookFor(kernel, { kind: kind.kind, ...missed }))) return undefined
  return findRow(kernel.db, kind, scope, address, projects)
}

async function findRow(
  db: Db,
  { kind }: DocumentKind,
  scope: Scope,
  address: Address,
  projects: readonly string[],
): Promise<Found | undefined> {
  const sought = { id: null, name: null, cut: null, ...address }
  const [found] = await find(db, scope, { kind, ...sought, projects })
  return found
}

/** Where the document of a name may lie in a project. */
const pathsOf = (
  kind: DocumentKind,
  project: string,
  { name, cut = name }: { name: string; cut?: string },
) => [...new Set([name, cut])].map((each) => documentPath(kind, project, each))

/** The condition on the row of a document that a name means. A name that was not cut is no longer one. */
const isNamed = ({ nameKey }: DocumentKind, { name, cut }: { name: string; cut?: string }) =>
  cut === undefined
    ? sql<boolean>`${sql.ref(nameKey)} = ${name}`
    : sql<boolean>`(${sql.ref(nameKey)} = ${name} or (${sql.ref(nameKey)} = ${cut} and not uncut))`

/**
 * Returns the name under which the document of an address stands in the project: the one of former times when
 * there is such a document and none under the name itself.
 */
export async function standingName(
  db: Db,
  kind: DocumentKind,
  project: string,
  address: { name: string; cut?: string | undefined },
): Promise<string> {
  const { name, cut } = address
  if (cut === undefined) return name
  const found = await placed(db, kind)
    .where('project', '=', project)
    .where(isNamed(kind, { name, cut }))
    .orderBy(sql`${sql.ref(kind.nameKey)} = ${name}`, 'desc')
    .executeTakeFirst()
  return found?.name ?? name
}

/** Finds a document by its id, past every fence. */
export const findPlaced = (db: Db, kind: DocumentKind, id: string): Promise<Placed | undefined> =>
  placed(db, kind).where('id', '=', id).executeTakeFirst()

/** The same, and among the files when it has no row. */
export async function seekPlaced(
  kernel: Kernel,
  kind: DocumentKind,
  id: string,
): Promise<Placed | undefined> {
  const found = await findPlaced(kernel.db, kind, id)
  if (found || kernel.db.isTransaction) return found
  if (!(await kernel.catchUp.lookFor(kernel, { kind: kind.kind, id }))) return undefined
  return findPlaced(kernel.db, kind, id)
}

/** The project in which a document was known last, also when it is gone; undefined when it never was. */
export async function lastProjectOf(
  db: Db,
  kind: DocumentKind,
  id: string,
): Promise<string | undefined> {
  const found = await findPlaced(db, kind, id)
  if (found) return found.project
  const told = await db
    .selectFrom('events')
    .select('project')
    .where('item_id', '=', id)
    .where('transport', '=', false)
    .where('project', 'is not', null)
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return told?.project ?? undefined
}

/** Returns the id of the document that owns the path, if there is one. */
export async function ownerOfPath(db: Db, { table }: DocumentKind, path: string) {
  const row = await db.selectFrom(table).select('id').where('path', '=', path).executeTakeFirst()
  return row?.id
}

/** Returns the columns that the row of every document has, with those that its kind adds. */
export function rowOf<D extends Document>(document: D, path: string, content_hash: string) {
  const { created, updated, extra: _, ...fields } = document
  return { ...fields, path, content_hash, created_at: created, updated_at: updated }
}
