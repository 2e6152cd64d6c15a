import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { enterProject } from './open-for-writing.ts'
import { normalPlace } from './repo-map.ts'
import { parseProject } from './slugs.ts'

/** Gives a place to a project, by the owner's word. Returns the place as the map has it. */
export async function mapRepo(
  kernel: Kernel,
  { place: given, project: asked }: { place: string; project: string },
): Promise<{ place: string; project: string; before: string | null }> {
  const found = normalPlace(given)
  if (!found) {
    throw invalid(`${JSON.stringify(given.slice(0, 300))} is neither an absolute path nor a remote`)
  }
  const project = parseProject(asked)
  if (!project) throw invalid('project must be the slug of a project')
  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    await sql`lock table repos in share row exclusive mode`.execute(db)
    const row = await db
      .selectFrom('repos')
      .select('project')
      .where('place', '=', found.place)
      .executeTakeFirst()
    await enterProject(kernel, project, true)
    await db
      .insertInto('repos')
      .values({ ...found, project, sighted: false })
      .onConflict((conflict) => conflict.column('place').doUpdateSet({ project, sighted: false }))
      .execute()
    return { place: found.place, project, before: row?.project ?? null }
  })
}
