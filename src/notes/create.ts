import {
  checkSize,
  nameTaken,
  patchTags,
  writeDocument,
  type Standing,
} from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { refuseUnseenPlan, type Scope } from '../projects/projects.ts'
import { nameProblem, NO_LETTER, numberedSlug, slugify, titleProblem } from '../text/slug.ts'
import { noteDocument } from './document.ts'
import type { Note, StoredNote } from './file.ts'
import { stoodBefore, takenSlugs } from './store.ts'

export interface NoteDraft {
  title: string
  body: string
  description?: string
  plan?: string
  source_url?: string
  tags?: string[]
}

export interface Making {
  /** The title is not of the caller's choosing: a slug that is taken gets -2, -3 …, and its id replaces none. */
  numbered?: boolean
  /** What the event says beside the title. */
  payload?: { source_url: string }
}

/**
 * Refuses a draft that could never be a note, before any project is resolved or registered. A title that nobody
 * chose need not make a slug.
 */
export function checkDraft({ title, body, tags }: NoteDraft, chosen = true): void {
  if (title.trim() === '') throw invalid('title must not be blank')
  if (body.trim() === '') throw invalid('body must not be blank')
  checkTitle(title.trim())
  const slug = slugify(title)
  if (slug === '' && chosen)
    throw invalid(`invalid title: ${NO_LETTER}, of which a slug could be made`)
  const problem = slug === '' ? null : nameProblem(slug)
  if (problem) throw invalid(`invalid title: as a file name ${problem}`)
  checkSize(noteDocument, body)
  patchTags([], { tags })
}

export function checkTitle(title: string): void {
  const problem = titleProblem(title)
  if (problem) throw invalid(`invalid title: ${problem}`)
}

/**
 * Creates a note. The slug comes from the title and never changes afterwards; one that is taken is a
 * conflict, unless it may be numbered. `project` has been resolved and judged for writing.
 */
export async function createNote(
  kernel: Kernel,
  by: Actor,
  target: { project: string; scope: Scope },
  draft: NoteDraft,
  { numbered = false, payload }: Making = {},
): Promise<StoredNote> {
  checkDraft(draft, !numbered)
  const slug = slugify(draft.title)
  const isThere = await stoodBefore(kernel.db, target, draft.title)
  for (let number = 1; ; number = await nextNumber(kernel, target.project, slug, number + 1)) {
    const place = { ...target, name: number === 1 ? slug : numberedSlug(slug, number) }
    const write = async (standing: Standing<Note>) => {
      if (standing.owner !== undefined || standing.file) return undefined
      const document: Note = {
        ...standing.stamped(),
        title: draft.title.trim(),
        slug: standing.name,
        description: draft.description?.trim() ?? '',
        body: draft.body,
        tags: draftTags(draft),
        source_url: draft.source_url?.trim() ?? '',
      }
      if (standing.unseen && joinsPlan(document.tags)) refuseUnseenPlan(target)
      return { document, payload: { title: document.title, ...payload } }
    }
    const isFree = number > 1 || !isThere
    const note = isFree && (await writeDocument(kernel, by, noteDocument, place, write))
    if (note) return note
    if (numbered) continue
    throw conflict(
      `${nameTaken(noteDocument, target.project, slug)}; ` +
        'choose another title, or change that note with notes_update or notes_append',
    )
  }
}

/** How many names are asked for at once. */
const NAMES = 100

/** Returns a number whose slug nobody had a moment ago; the lock decides whether that is still so. */
async function nextNumber(
  { db }: Kernel,
  project: string,
  slug: string,
  from: number,
): Promise<number> {
  for (let first = from; ; first += NAMES) {
    const names = Array.from({ length: NAMES }, (_, index) => numberedSlug(slug, first + index))
    const taken = await takenSlugs(db, project, names)
    const free = names.findIndex((name) => !taken.has(name))
    if (free !== -1) return first + free
  }
}

/** Whether a tag says that the note belongs to a plan. */
export const joinsPlan = (tags: readonly string[]): boolean =>
  tags.some((tag) => tag.startsWith('plan:'))

function draftTags({ tags = [], plan }: NoteDraft): string[] {
  const joined = plan?.trim() ? [`plan:${plan.trim()}`] : []
  return [...new Set([...tags, 'created-by:agent', ...joined])]
}
