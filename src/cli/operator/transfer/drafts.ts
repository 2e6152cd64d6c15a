import { NOBODY, type Kernel } from '../../../kernel/kernel.ts'
import { invalid, Refusal } from '../../../kernel/refusal.ts'
import { memoryName, writeMemory, type MemoryKind } from '../../../memories/memories.ts'
import { findPlace, openForWriting, scopeOf } from '../../../projects/projects.ts'
import { add, type Imported } from './report.ts'

/** A memory that came from a text of another make. */
export interface MemoryDraft {
  name: string
  kind: MemoryKind
  description: string
  body: string
  tags: string[]
}

/** Writes the memories whose names are free: an import overwrites none. */
export async function importDrafts(
  kernel: Kernel,
  drafts: readonly MemoryDraft[],
  asked: string | undefined,
  report: Imported,
): Promise<void> {
  if (asked === undefined) {
    throw invalid('import: these texts name no project; say --project <slug>, or --project global')
  }
  const slug = asked === 'global' ? '' : asked
  const place = await findPlace(kernel.db, slug)
  const { project } = await openForWriting(kernel, place, slug)
  const scope = scopeOf(place)
  for (const draft of drafts) {
    try {
      const name = memoryName(draft.name)
      if (await isTaken(kernel, project, name)) report.skipped++
      else {
        await writeMemory(kernel, NOBODY, { project, scope }, draft, { of: 'owner' })
        add(report, 'memory')
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      report.warnings.push(`${draft.name.slice(0, 80)}: ${error.message}`)
    }
  }
}

async function isTaken({ db }: Kernel, project: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('memories')
    .select('id')
    .where('project', '=', project)
    .where('name', '=', name)
    .executeTakeFirst()
  return row !== undefined
}
