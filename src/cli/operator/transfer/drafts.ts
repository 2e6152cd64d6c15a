import { NOBODY, type Kernel } from '../../../kernel/kernel.ts'
import { invalid, Refusal } from '../../../kernel/refusal.ts'
import { memoryNameAt, writeMemory, type MemoryKind } from '../../../memories/memories.ts'
import type { FileTimes } from '../../../vault/vault.ts'
import { findPlace, openForWriting, scopeOf } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import { guardItem, shown } from './guard.ts'
import { add, type Imported } from './report.ts'

/** A memory that came from a text of another make. */
export interface MemoryDraft {
  name: string
  kind: MemoryKind
  description: string
  body: string
  tags: string[]
  /** Of the file that it stood in; now when left out. */
  dates?: FileTimes
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
      if (await isThere(kernel, project, draft)) report.skipped++
      else {
        const { name, description, body, tags } = draft
        guardItem(kernel, name, [name, description, body, ...tags], report)
        await writeMemory(kernel, NOBODY, { project, scope }, draft, { of: 'owner' })
        add(report, 'memory')
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      report.warnings.push(`${shown(draft.name)}: ${error.message}`)
    }
  }
}

/** Whether the name is taken. What has no name, and is called by its id, is there when its text is. */
async function isThere({ db }: Kernel, project: string, draft: MemoryDraft): Promise<boolean> {
  const rows = db.selectFrom('memories').select('id').where('project', '=', project)
  const found =
    slugify(draft.name) === ''
      ? rows.where('body', '=', draft.body)
      : rows.where('name', '=', await memoryNameAt(db, project, draft.name))
  return (await found.executeTakeFirst()) !== undefined
}
