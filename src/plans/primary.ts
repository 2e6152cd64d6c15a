import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import { searchedOf, type Scope } from '../projects/projects.ts'
import { AGENT_TAG, CAPTURE_TAG, planTag } from './vocabulary.ts'

/**
 * Returns the note that carries the star of a plan: of the project's own plan, else of the global one. It is
 * the capture if there is one, else the first note that joined, without the runs of planning agents.
 */
export async function primaryNote(db: Db, slug: string, scope: Scope): Promise<string> {
  const searched = searchedOf(scope)
  const note = await db
    .selectFrom('notes')
    .select('id')
    .where('project', 'in', [...searched])
    .where(sql<boolean>`tags @> ${[planTag(slug)]}::text[]`)
    .where(sql<boolean>`not tags @> ${[AGENT_TAG]}::text[]`)
    .orderBy(sql`project = ''`)
    .orderBy(sql`not tags @> ${[CAPTURE_TAG]}::text[]`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (note) return note.id
  const step = await db
    .selectFrom('tasks')
    .select('id')
    .where('project', 'in', [...searched])
    .where('plan', '=', slug)
    .where('plan', '<>', sql.lit(''))
    .limit(1)
    .executeTakeFirst()
  const plan = `plan ${JSON.stringify(slug)}`
  throw notFound(
    step
      ? `note in ${plan}: it has steps alone, and a plan's star is kept with its first note; add one with notes_create`
      : `${plan} here; pass its slug, and project if it lies in another`,
  )
}
