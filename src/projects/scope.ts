/**
 * What a call may see, as a value that cannot be forged: no literal is a Scope to the types, and each
 * query that takes one looks whether it was made here.
 */
import { readsGlobal, type Place } from './isolation.ts'
import { isOwner, type OwnerScope } from './owner-scope.ts'

declare const judged: unique symbol

/** Proof that the project of a call was resolved and that the fence allows to read it. */
export interface Scope {
  readonly [judged]: true
  /** Where the call comes from, by which every fence is judged. */
  readonly caller: Place
  /** The project that was asked for or inferred; '' is the global scope. */
  readonly project: string
  /** What a search looks into: the project, and the global scope where it may be read. */
  readonly searched: readonly string[]
  /** Projects of which the memories are searched as well, and nothing else: those that are inherited. */
  readonly inherited: readonly string[]
}

/** Who asks a query that serves agents and the owner. */
export type AnyScope = Scope | OwnerScope

const made = new WeakSet<object>()
/** The callers of scopes: all scopes of one call share one. */
const callers = new WeakSet<Place>()

/** Whether the place is the caller of one call, and no constant that many share. */
export const isCaller = (place: Place): boolean => callers.has(place)

function callerAt(place: Place): Place {
  if (callers.has(place)) return place
  const caller = Object.freeze({ project: place.project, isolation: place.isolation })
  callers.add(caller)
  return caller
}

function make(
  caller: Place,
  project: string,
  searched: readonly string[],
  inherited: readonly string[] = [],
): Scope {
  const scope = Object.freeze({
    caller: callerAt(caller),
    project,
    searched: Object.freeze([...new Set(searched)]),
    inherited: Object.freeze(inherited.filter((project) => !searched.includes(project))),
  })
  made.add(scope)
  return scope as unknown as Scope
}

/** Returns the scope of a caller for a project that it may read. Judge the project first. */
export const makeScope = (caller: Place, project: string): Scope =>
  make(caller, project, project === '' || !readsGlobal(caller) ? [project] : [project, ''])

/** Returns the same scope with more to search, which was judged by the database. */
export const widened = (scope: Scope, projects: readonly string[]): Scope =>
  make(scope.caller, scope.project, [...searchedOf(scope), ...projects], scope.inherited)

/** Returns the same scope with the memories of a parent, which was judged by the database. */
export const inheriting = (scope: Scope, parent: string): Scope =>
  make(scope.caller, scope.project, searchedOf(scope), [parent])

/** Returns the same scope with less to search: those of the projects that it searches. */
export const narrowed = (scope: Scope, projects: readonly string[]): Scope => {
  const searched = searchedOf(scope)
  return make(
    scope.caller,
    scope.project,
    projects.filter((project) => searched.includes(project)),
  )
}

/** Returns what one may see who works at a place. A place tells its level as the database had it. */
export const scopeOf = (place: Place): Scope => makeScope(place, place.project)

/** Returns the caller of a scope, which must be a real one. */
export function callerOf(scope: Scope): Place {
  checkScope(scope)
  return scope.caller
}

/** Returns the project that a query may look into, from a scope that must be a real one. */
export function projectOf(scope: Scope): string {
  checkScope(scope)
  return scope.project
}

/** Returns the projects that a query may search, from a scope that must be a real one. */
export function searchedOf(scope: Scope): readonly string[] {
  checkScope(scope)
  return scope.searched
}

function checkScope(scope: Scope): void {
  if (!made.has(scope)) throw new TypeError('a scope that nobody judged: see projects/scope.ts')
}

/** What a statement knows of its caller: the parameters of a `.sql` file that a scope alone provides. */
export interface Bound {
  searched: readonly string[]
  inherited: readonly string[]
  everywhere: boolean
  caller?: string
  level?: string
  project?: string
}

/** Equal for two scopes that provide the same parameters, so that a statement for one may answer for both. */
export const searchedAlike = (scope: Scope): string => JSON.stringify(boundBy(scope))

/** Returns the parameters that a real scope provides. */
export function boundBy(scope: AnyScope): Bound {
  // A statement that serves agents too judges the fence for those that it is not everywhere open to.
  if (isOwner(scope)) {
    return { searched: [], inherited: [], everywhere: true, caller: '', level: 'open' }
  }
  const { project, isolation } = callerOf(scope)
  const searched = searchedOf(scope)
  const { inherited } = scope
  const bound = { searched, inherited, everywhere: false }
  return { ...bound, caller: project, level: isolation, project: scope.project }
}
