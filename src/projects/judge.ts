/** What a caller may do with a project: asked of the database, and told in words when it is refused. */
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { forbidden } from '../kernel/refusal.ts'
import { isFenced, type Level, type Place } from './isolation.ts'
import { callerOf, isCaller, type Scope } from './scope.ts'

/** A project as the fence was judged for a caller. */
export interface Verdict extends Place {
  /** Whether the project has a row. */
  readonly registered: boolean
  readonly readable: boolean
  /** What lies there may be changed. */
  readonly writable: boolean
  /** Something new may be put there. */
  readonly addable: boolean
}

/** A verdict, and what came with it. */
export interface Judged extends Verdict {
  /** Whether the project names a parent, be that one readable or not. */
  readonly has_parent: boolean
}

/** Judges a project for a caller, in one statement. */
export async function judge(db: Db, caller: Place, project: string): Promise<Judged> {
  const allows = (act: 'read' | 'write' | 'add') =>
    sql`fence_allows(${act}, ${caller.project}, ${caller.isolation}, ${project}, p.isolation)`
  const { rows } = await sql<Omit<Judged, 'project'>>`
    select coalesce(p.isolation, 'open') as isolation, p.slug is not null as registered,
      p.parent_slug is not null as has_parent,
      ${allows('read')} as readable, ${allows('write')} as writable, ${allows('add')} as addable
    from (select) one left join projects p on p.slug = ${project}`.execute(db)
  return know(caller, { project, ...rows[0]! })
}

/** What was judged for the caller of one call. Whatever writes judges again, in its own transaction. */
const judged = new WeakMap<Place, Map<string, Judged>>()

/** Keeps a verdict for the call of this caller, and returns it. Of a place that is of no call nothing is kept. */
export function know(caller: Place, verdict: Judged): Judged {
  if (!isCaller(caller)) return verdict
  const known = judged.get(caller)
  if (known) known.set(verdict.project, verdict)
  else judged.set(caller, new Map([[verdict.project, verdict]]))
  return verdict
}

/** What the call of this scope has judged of its project; undefined when it has not, or found no row. */
export function judgedOf(scope: Scope): Judged | undefined {
  const known = judged.get(callerOf(scope))?.get(scope.project)
  return known?.registered ? known : undefined
}

/** Judges a project for a read. What its call has judged already is not asked again, unless it was not there yet. */
export async function judgeOnce(db: Db, caller: Place, project: string): Promise<Verdict> {
  const known = judged.get(caller)?.get(project)
  return known?.registered ? known : await judge(db, caller, project)
}

/**
 * Judges once more, inside the transaction that makes it, what is added to a project: the level read before
 * may be an old one. Returns whether the caller may also read there.
 */
export async function judgeAdd(db: Db, scope: Scope, project: string): Promise<boolean> {
  const target = await judge(db, callerOf(scope), project)
  refuseUnaddable(scope, target)
  return target.readable
}

/** Refuses to put something where the fence forbids it to the caller of the scope. */
export const refuseUnaddable = (scope: Scope, target: Verdict): void =>
  refuseAdd(callerOf(scope), target)

/** The same of a change to what lies in the project. */
export async function judgeWrite(db: Db, scope: Scope, project: string): Promise<void> {
  const caller = callerOf(scope)
  refuseWrite(caller, await judge(db, caller, project))
}

/**
 * Whether the scope may put something there and not see what is there: it looks nothing up by name. What its call has
 * judged already is not asked again, unless `again` says so.
 */
export async function addsUnseen(
  db: Db,
  scope: Scope,
  project: string,
  { again = false }: { again?: boolean } = {},
): Promise<boolean> {
  const caller = callerOf(scope)
  if (caller.project === project) return false
  const known = again ? undefined : judged.get(caller)?.get(project)
  return !(known ?? (await judge(db, caller, project))).readable
}

/** Returns whether those who work in one project may read what lies in the other. */
export async function readsFrom(db: Db, from: string, target: string): Promise<boolean> {
  const level = (project: string) => isolationWhere(sql.val(project))
  const { rows } = await sql<{ allowed: boolean }>`
    select fence_allows('read', ${from}, ${level(from)}, ${target}, ${level(target)}) as allowed`.execute(
    db,
  )
  return rows[0]!.allowed
}

/** Returns the level of the project that a column holds, as a column of a statement. */
export const isolationOf = (column: string): RawBuilder<Level> => isolationWhere(sql.ref(column))

const isolationWhere = (project: RawBuilder<unknown>): RawBuilder<Level> =>
  sql<Level>`coalesce((select p.isolation from projects p where p.slug = ${project}), 'open')`

/** Refuses a read that the fence forbids. The words name the target's fence first. */
export function refuseRead(caller: Place, target: Verdict): void {
  if (target.readable) return
  throw forbidden(
    isFenced(target)
      ? `project ${target.project} is ${target.isolation}; only a session bound to it can read it`
      : `session is bound to ${caller.isolation} project ${caller.project} and can read nothing else`,
  )
}

/** Refuses to put something where the fence forbids it. The words name the caller's own fence first. */
export function refuseAdd(caller: Place, target: Verdict): void {
  if (target.addable) return
  throw forbidden(
    isFenced(caller)
      ? writesAtHome(caller)
      : `project ${target.project} is ${target.isolation}; only a session bound to it can write there`,
  )
}

/** Refuses a change that the fence forbids, in the same order. */
export function refuseWrite(caller: Place, target: Verdict): void {
  if (target.writable) return
  refuseAdd(caller, target)
  throw forbidden(
    `project ${target.project} is ${target.isolation}; from outside something new can be put there, ` +
      'and nothing that is there is reached',
  )
}

/** Refuses to join, by its name, a plan that the caller may not see. */
export function refuseUnseenPlan({ project }: { project: string }): never {
  throw forbidden(
    `a plan of project ${project} is joined by sessions bound to it alone; leave the plan out`,
  )
}

/** The words for a caller whose own fence keeps its writes in. */
export const writesAtHome = ({ project, isolation }: Place): string =>
  `session is bound to ${isolation} project ${project} and can write nowhere else`
