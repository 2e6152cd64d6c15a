/** Items that are reached by their id: loaded and judged by one statement, with these conditions in it. */
import { sql, type RawBuilder } from 'kysely'
import { forbidden, notFound } from '../kernel/refusal.ts'
import { writesAtHome } from './judge.ts'
import { callerOf, type Scope } from './scope.ts'

/** Returns a condition on a column that holds a project: the caller may read what lies there. */
export const readable = (scope: Scope, column: string): RawBuilder<boolean> =>
  allows('read', scope, column)

/** Returns a condition on a column that holds a project: the caller may change what lies there. */
export const writable = (scope: Scope, column: string): RawBuilder<boolean> =>
  allows('write', scope, column)

function allows(act: 'read' | 'write', scope: Scope, column: string): RawBuilder<boolean> {
  const caller = callerOf(scope)
  const project = sql.ref(column)
  return sql<boolean>`fence_allows(${sql.lit(act)}, ${caller.project}, ${caller.isolation}, ${project},
    (select target.isolation from projects target where target.slug = ${project}))`
}

/** What became of an item that was looked for by its id, in one statement with both verdicts. */
export interface Reached {
  project: string
  readable: boolean
  writable: boolean
}

/**
 * Judges an item that was reached by its id for a change. What the caller may not read answers like an id
 * that does not exist.
 */
export function refuseUnwritable(
  scope: Scope,
  item: Reached | undefined,
  what: string,
): asserts item is Reached {
  const caller = callerOf(scope)
  if (!item?.readable) throw notFound(what)
  if (!item.writable) throw forbidden(writesAtHome(caller))
}
