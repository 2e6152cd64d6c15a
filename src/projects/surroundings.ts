import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { closedTo, type Level, type Place } from './isolation.ts'
import { judgedOf } from './judge.ts'
import { scopeSql } from './scope-sql.ts'
import { inheriting, scopeOf, widened, type Scope } from './scope.ts'

/** What one who works at a place may be told of unasked. */
export interface Surroundings {
  place: Place
  scope: Scope
  /** The project whose memories are inherited; null when there is none that may be read. */
  parent: string | null
  /** Projects of the same families: each may read the other. */
  siblings: readonly string[]
  /** Searches the scope's projects, the parent and the siblings. */
  wide: Scope
  /** The stored overrides of the settings that were asked for, by their keys. */
  settings: Readonly<Record<string, unknown>>
}

interface Row {
  isolation: Level
  parent: string | null
  siblings: string[]
  settings: Record<string, unknown>
}
interface Params {
  project: string
  families: string[]
  members: string[]
  settings: readonly string[]
}
const surroundings = sqlFile<Params, Row>('projects/surroundings')

/**
 * Reads the surroundings of a place in one statement, its level of this moment among them.
 *
 * A place whose fence was known to be more closed than it is now keeps to itself.
 */
export async function readSurroundings(
  kernel: Kernel,
  at: Place,
  settings: readonly string[],
): Promise<Surroundings> {
  const configured = Object.entries(kernel.config.project_families).flatMap(([family, members]) =>
    members.map((member) => ({ family, member })),
  )
  const [row] = await surroundings(kernel.db, {
    project: at.project,
    families: configured.map(({ family }) => family),
    members: configured.map(({ member }) => member),
    settings,
  })
  const { isolation, ...found } = row!
  const place = closedTo(at, isolation)
  const near = place.isolation === isolation ? found : { ...found, parent: null, siblings: [] }
  const scope = scopeOf(place)
  const wide = widened(scope, [...(near.parent === null ? [] : [near.parent]), ...near.siblings])
  return { ...near, place, scope, wide }
}

const parentOf = scopeSql<{ setting: string }, { parent: string | null; setting: unknown }>(
  'projects/parent',
  { kept: true },
)

/**
 * Returns the scope with the memories that its project inherits, as a briefing tells them, if the stored
 * override of the setting allows that.
 */
export async function withInherited(
  db: Db,
  scope: Scope,
  setting: string,
  allows: (override: unknown) => boolean,
): Promise<Scope> {
  if (scope.project === '' || judgedOf(scope)?.has_parent === false) return scope
  const [found] = await parentOf(db, scope, { setting })
  const { parent, setting: override } = found!
  return parent !== null && allows(override) ? inheriting(scope, parent) : scope
}
