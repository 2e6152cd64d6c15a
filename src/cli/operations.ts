import type { App } from '../app.ts'
import { readBuild } from '../kernel/build.ts'
import { invalid } from '../kernel/refusal.ts'
import { reconcile } from '../kernel/vault/reconcile.ts'
import { copyTo } from './db-copy.ts'

/** What operator commands ask of the process that has the store open. */
export interface Status {
  version: string
  pid: number
  store: string
  database: { kind: string; version: string; schema: number }
  /** Files that are listed and not indexed, with the reason. */
  problems: { path: string; problem: string }[]
}

/** Everything that can be asked, by the name in the path. */
export const OPERATIONS = {
  status: ({ kernel, database }: App): Promise<Status> => status(kernel, database.kind),

  reindex: ({ kernel }: App) => reconcile(kernel, { hashAll: true, again: true }),

  copy: ({ kernel }: App, { to }: { to?: unknown }) => {
    if (typeof to !== 'string') throw invalid('copy: "to" must be the URL of a database')
    return copyTo(kernel.db, to, kernel.log)
  },
}
export type Operation = keyof typeof OPERATIONS

export const isOperation = (name: string): name is Operation => Object.hasOwn(OPERATIONS, name)
