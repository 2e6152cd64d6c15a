import {
  checkSize,
  nameTaken,
  patchTags,
  seekPlaced,
  writeDocument,
  type Placed,
  type Standing,
} from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { refuseUnseenPlan, wireProject, type Scope } from '../projects/projects.ts'
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
  /**
   * The id that the note will have. A note with this id in the project was left by a making that was cut off: it is
   * written again as it is.
   */
  id?: string
  /** Tags that tell who made it, which agents do not choose; left out: an agent did. */
  made?: readonly string[]
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
  { numbered = false, id, made = BY_AGENT, payload }: Making = {},
): Promise<StoredNote> {
  checkDraft(draft, !numbered)
  const slug = slugify(draft.title)
  const left = id === undefined ? undefined : await findLeft(kernel, target.project, id)
  const isThere = await stoodBefore(kernel.db, target, draft.title)
  for (let number = 1; ; number = await nextNumber(kernel, target.project, slug, number + 1)) {
    const name = number === 1 ? (left?.name ?? slug) : numberedSlug(slug, number)
    const write = async (standing: Standing<Note>) => {
      const isLeft = id !== undefined && standing.owner === id
      if (!isLeft && (standing.owner !== undefined || standing.file)) return undefined
      const before = isLeft ? await standing.before() : undefined
      const document: Note = before ?? {
        ...standing.stamped(),
        ...(id !== undefined && { id }),
        title: draft.title.trim(),
        slug: standing.name,
        description: draft.description?.trim() ?? '',
        body: draft.body,
        tags: draftTags(draft, made),
        source_url: draft.source_url?.trim() ?? '',
      }
      if (standing.unseen && joinsPlan(document.tags)) refuseUnseenPlan(target)
      return { document, payload: { title: document.title, ...payload } }
    }
    const isFree = number > 1 || left !== undefined || !isThere
    const note =
      isFree && (await writeDocument(kernel, by, noteDocument, { ...target, name }, write))
    if (note) return note
    if (numbered) continue
    throw conflict(
      `${nameTaken(noteDocument, target.project, slug)}; ` +
        'choose another title, or change that note with notes_update or notes_append',
    )
  }
}

/** Returns the note with this id that an earlier making has left. */
async function findLeft(kernel: Kernel, project: string, id: string): Promise<Placed | undefined> {
  const left = await seekPlaced(kernel, noteDocument, id)
  if (left === undefined || left.project === project) return left
  throw conflict(
    `the note with id ${JSON.stringify(id)} is in ${wireProject(left.project)} already`,
  )
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

const BY_AGENT = ['created-by:agent']

function draftTags({ tags = [], plan }: NoteDraft, made: readonly string[]): string[] {
  const joined = plan?.trim() ? [`plan:${plan.trim()}`] : []
  return [...new Set([...tags, ...made, ...joined])]
}
