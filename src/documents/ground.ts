/** What must be known under the lock before a document is written at a path. */
import type { Place, Verdict } from '../projects/projects.ts'
import { together } from '../kernel/together.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { DocumentKind } from './kind.ts'

interface Asked {
  table: DocumentKind['table']
  path: string
  project: string
  caller: Place
}

export interface Ground extends Omit<Verdict, 'project'> {
  /** Of the project; null of one that nobody registered. */
  number: number | null
  /** The id of the document that owns the path by its row. */
  owner: string | null
}

interface Params {
  tables: string[]
  paths: string[]
  targets: string[]
  callers: string[]
  levels: string[]
}
const ground = sqlFile<Params, Ground>('documents/ground', { kept: true })

/** Judges the fence and looks up who owns the path. What is asked of one transaction at once is one statement. */
export const groundOf = together((db, asked: readonly Asked[]) =>
  ground(db, {
    tables: asked.map(({ table }) => table),
    paths: asked.map(({ path }) => path),
    targets: asked.map(({ project }) => project),
    callers: asked.map(({ caller }) => caller.project),
    levels: asked.map(({ caller }) => caller.isolation),
  }),
)
