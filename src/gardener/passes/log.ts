/** The log, read backwards a page at a time: no statement is long, however much the log holds. */
import type { Db } from '../../kernel/kernel.ts'
import type { OwnerScope } from '../../projects/projects.ts'

/** An event of the log. A page holds every event of its span, so that the next one begins where it ends. */
export interface Entry {
  id: string
  at: Date
}

/** Which page: at most so many events of the last days, the newest before this one. */
export interface Page {
  days: number
  /** Null: from the newest on. */
  until: Date | null
  until_id: string
  most: number
}

/** Events of one page. A page of this size takes the embedded database a small part of 100 ms. */
const PAGE = 2_000

/** Reads the events of the last days, newest first, and no more than about `most` of them. */
export async function* readBack<Row extends Entry>(
  ask: (db: Db, owner: OwnerScope, page: Page) => Promise<Row[]>,
  db: Db,
  owner: OwnerScope,
  { days, most }: { days: number; most: number },
): AsyncGenerator<Row[]> {
  let last: Entry | undefined
  for (let read = 0; read < most; read += PAGE) {
    const until = { until: last?.at ?? null, until_id: last?.id ?? '' }
    const rows = await ask(db, owner, { days, ...until, most: PAGE })
    yield rows
    last = rows.at(-1)
    if (rows.length < PAGE) return
  }
}
