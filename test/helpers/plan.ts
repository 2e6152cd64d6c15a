/** How a database would carry out what it is asked, whatever the parameters are. */
import { sql } from 'kysely'
import type { Db } from '../../src/kernel/kernel.ts'

/** The one statement of a function of plpgsql, its parameters named by their types, in their order. */
export async function statementIn(
  db: Db,
  name: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const { rows } = await sql<{ body: string }>`
    select prosrc as body from pg_proc where proname = ${name}`.execute(db)
  const found = /begin\n(?:\s*return query\n)?([\s\S]*);\nend/.exec(rows[0]?.body ?? '')
  if (!found) throw new Error(`${name} is not one statement`)
  return Object.entries(parameters).reduce(
    (text, [parameter, type], at) =>
      text.replaceAll(new RegExp(`\\b${parameter}\\b`, 'g'), `$$${at + 1}::${type}`),
    found[1]!,
  )
}

/** The plan of a statement for any parameters; `byIndexes`: as a function asks that never reads a table whole. */
export function genericPlan(
  db: Db,
  statement: string,
  { byIndexes }: { byIndexes: boolean },
): Promise<string> {
  return db.transaction().execute(async (db) => {
    if (byIndexes) await sql`set local enable_seqscan = off`.execute(db)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      ${sql.raw(`explain (generic_plan, costs off) ${statement}`)}`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}
