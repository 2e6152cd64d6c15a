/** Who holds a task, as people call them: answers name a holder like a maker. */
import type { Db } from '../kernel/kernel.ts'
import { readable, type Scope } from '../projects/projects.ts'

interface Asker {
  scope: Scope
  /** The session of the call: its name is known without a look. */
  session: { id: string; name: string } | null
}

/** Returns the same tasks with the names of the sessions that hold them. */
export async function withHolders<Held extends { claimed_by: string }>(
  db: Db,
  asker: Asker,
  tasks: readonly Held[],
): Promise<Held[]> {
  const holders = tasks.map(({ claimed_by }) => claimed_by)
  const nameOf = await holderNames(db, asker, holders)
  return tasks.map((task) => ({ ...task, claimed_by: nameOf(task.claimed_by) }))
}

/** Says what the sessions are called. One that is gone, or lies behind a fence by now, keeps its id. */
export async function holderNames(
  db: Db,
  { scope, session }: Asker,
  holders: readonly string[],
): Promise<(id: string) => string> {
  const names = new Map(session ? [[session.id, session.name]] : [])
  const ids = [...new Set(holders)].filter((id) => id !== '' && !names.has(id))
  if (ids.length > 0) {
    const rows = await db
      .selectFrom('sessions')
      .select(['id', 'name'])
      .where('id', 'in', ids)
      .where(readable(scope, 'sessions.project'))
      .execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return (id) => names.get(id) ?? id
}
