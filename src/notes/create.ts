import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { nameProblem, numberedSlug, slugify } from '../text/slug.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import { checkSize, checkTitle } from './checks.ts'
import { indexNote } from './file-kind.ts'
import { noteWritten } from './events.ts'
import { notePath, renderNote, type Note } from './file.ts'
import type { StoredNote } from './read.ts'
import { ownerOfPath, takenSlugs } from './store.ts'

export interface NoteDraft {
  title: string
  body: string
  description?: string
  plan?: string
  source_url?: string
  tags?: string[]
}

export interface Making {
  /** The title is not of the caller's choosing: a slug that is taken gets -2, -3 … */
  numbered?: boolean
  /** What the event says beside the title. */
  told?: { source_url: string }
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
 * Creates a note. The slug comes from the title and never changes afterwards; one that is taken is a
 * conflict, unless it may be numbered. `project` has been resolved and judged for writing.
 */
export async function createNote(
  kernel: Kernel,
  by: Actor,
  target: { project: string; scope: Scope },
  draft: NoteDraft,
  making: Making = {},
): Promise<StoredNote> {
  checkDraft(draft)
  const slug = slugify(draft.title)
  for (let number = 1; ; number = await nextNumber(kernel, target.project, slug, number + 1)) {
    try {
      const name = number === 1 ? slug : numberedSlug(slug, number)
      return await writeNote(kernel, by, target, draft, { slug: name, told: making.told })
    } catch (error) {
      if (!(error instanceof Taken)) throw error
      if (making.numbered) continue
      throw conflict(
        `the slug "${slug}" is taken by another note in ${wireProject(target.project)}; ` +
          'choose another title, or change that note with notes_update or notes_append',
      )
    }
  }
}

/** Another note has the slug. */
class Taken extends Error {}

async function writeNote(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  draft: NoteDraft,
  { slug, told }: { slug: string; told: Making['told'] },
): Promise<StoredNote> {
  const path = notePath(project, slug)
  const event = newId(kernel.clock.now())
  const id = newId(kernel.clock.now())

  const { result, indexed } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
    const [owner, file] = await Promise.all([
      ownerOfPath(kernel.db, path),
      files.read(path),
      judgeWrite(kernel.db, scope, project),
    ])
    if (owner !== undefined || file) throw new Taken()
    const now = files.nextTime()
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
    const payload = { title: note.title, ...told }
    return {
      result: { ...note, content_hash: hash, readable: true },
      async rows(kernel) {
        await indexNote(kernel, note, path, hash)
      },
      told: [pendingEvent(noteWritten, { id: event, by, project, item: id, payload })],
    }
  })
  return { ...result, indexed }
}

/** How many names are asked for at once. */
const NAMES = 100

/** A number whose slug nobody had a moment ago; whether that is still so is decided under the lock. */
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

function draftTags({ tags = [], plan }: NoteDraft): string[] {
  const joined = plan?.trim() ? [`plan:${plan.trim()}`] : []
  return [...new Set([...tags, 'created-by:agent', ...joined])]
}
