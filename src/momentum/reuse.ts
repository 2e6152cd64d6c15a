import type { Kernel } from '../kernel/kernel.ts'
import { mint } from '../kernel/moments.ts'
import type { FollowedPage } from '../postgres/followers.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { memoryFirstReuse } from './events.ts'

interface Reused {
  memory: string
  project: string
  name: string
  kind: string
  writer: string
  reader: string
}
const firstReuse = sqlFile<{ events: readonly string[] }, Reused>('momentum/first_reuse')

/** Records of each memory the first time that another session read it than the one that wrote it. */
export async function markReuse(kernel: Kernel, { events }: FollowedPage): Promise<void> {
  const reads = events.filter(({ kind, session_id }) => kind === 'memory.read' && session_id)
  if (reads.length === 0) return
  const found = await firstReuse(kernel.db, { events: reads.map(({ id }) => id) })
  for (const { memory, project, name, kind, writer, reader } of found) {
    const by = { session: reader, model: '' }
    const payload = { name, kind, writer, reader }
    // A memory may move, and stays the same one.
    await mint(kernel, memoryFirstReuse, { by, project, item: memory, payload }, { project: '' })
  }
}
