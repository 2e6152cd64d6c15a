import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { nameProblem, slugify } from '../kernel/slug.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import { checkSize, checkTitle } from './checks.ts'
import { indexNote } from './corpus.ts'
import { noteWritten } from './events.ts'
import { notePath, renderNote, type Note } from './file.ts'
import type { StoredNote } from './read.ts'
import { nextTime, ownerOfPath } from './store.ts'

export interface NoteDraft {
  title: string
  body: string
  description?: string
  plan?: string
  source_url?: string
  tags?: string[]
}

/** Refuses a draft that could never be a note, before any project is resolved or registered. */
export function checkDraft({ title, body }: NoteDraft): void {
  if (title.trim() === '') throw invalid('title must not be blank')
  if (body.trim() === '') throw invalid('body must not be blank')
  checkTitle(title.trim())
  const problem = nameProblem(slugify(title))
  if (problem) throw invalid(`invalid title: as a file name ${problem}`)
  checkSize(body)
}

/**
 * Creates a note. The slug comes from the title, never changes afterwards, and is never suffixed:
 * one that is taken is a conflict. `project` has been resolved and judged for writing.
 */
export async function createNote(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  draft: NoteDraft,
): Promise<StoredNote> {
  checkDraft(draft)
  const slug = slugify(draft.title)
  const path = notePath(project, slug)
  const event = newId(kernel.clock.now())
  const id = newId(kernel.clock.now())

  const { result, indexed } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
    await judgeWrite(kernel.db, scope, project)
    if ((await ownerOfPath(kernel.db, path)) !== undefined || (await files.read(path))) {
      throw conflict(
        `the slug "${slug}" is taken by another note in ${wireProject(project)}; ` +
          'choose another title, or change that note with notes_update or notes_append',
      )
    }
    const now = await nextTime(kernel.db)
    const note: Note = {
      id,
      title: draft.title.trim(),
      slug,
      description: draft.description?.trim() ?? '',
      project,
      body: draft.body,
      tags: draftTags(draft),
      source_url: draft.source_url?.trim() ?? '',
      model: by.model,
      favorite: false,
      created: now,
      updated: now,
      extra: {},
    }
    const hash = files.put(path, renderNote(note))
    return {
      result: { ...note, content_hash: hash, readable: true },
      async rows(kernel) {
        await indexNote(kernel, note, path, hash)
        const payload = { title: note.title }
        await record(kernel, noteWritten, { id: event, by, project, item: id, payload })
      },
    }
  })
  return { ...result, indexed }
}

function draftTags({ tags = [], plan }: NoteDraft): string[] {
  const joined = plan?.trim() ? [`plan:${plan.trim()}`] : []
  return [...new Set([...tags, 'created-by:agent', ...joined])]
}
