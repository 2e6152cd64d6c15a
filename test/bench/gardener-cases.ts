/** What the labelled cases of the gardener's passes have in common. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type RawBuilder } from 'kysely'
import { runGardener } from '../../src/gardener/gardener.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { House } from '../helpers/build-house.ts'

export interface Case {
  id: string
  /** What somebody who knows the project would do. */
  label: 'clean up' | 'leave'
}

export interface Verdict {
  pass: string
  id: string
  /** Whether the label wants it raised. */
  right: boolean
  raised: boolean
}

export async function readCases<Of extends Case>(set: string): Promise<Of[]> {
  const text = await readFile(join(import.meta.dirname, 'sets', 'gardener', `${set}.jsonl`), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Of)
}

/** So many days before now, by the database's clock. */
export const ago = (days: number | undefined): RawBuilder<Date | null> =>
  days === undefined ? sql`null::timestamptz` : sql`loam_now() - ${days} * interval '1 day'`

/** What a pass proposes until it has nothing left to propose. */
export async function raisedBy(
  { app }: House,
  only: string,
): Promise<{ items: string[]; projects: string[] }[]> {
  const { db } = app.database
  for (;;) {
    const { passes } = await runGardener(app.kernel, ownerScope(), { only })
    const [{ proposed, left, failed }] = passes as [(typeof passes)[number]]
    if (failed !== undefined) throw new Error(`${only}: ${failed}`)
    // It is decided as an owner would: a memory that waits to be dropped is compared with none.
    await sql`
      update proposals set status = 'dismissed', resolved_at = loam_now() where status = 'pending'`.execute(
      db,
    )
    if (proposed === 0 && left === undefined) break
  }
  return db.selectFrom('proposals').select(['items', 'projects']).where('pass', '=', only).execute()
}
