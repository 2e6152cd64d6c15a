/**
 * Notes: what an agent produced. Any length, found through recall, never injected into a briefing.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in notes/.
 */
import { unifiedDiff } from '../kernel/diff.ts'
import { applyEdits, type Edit } from '../kernel/edits.ts'
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden, invalid, notFound, unavailable } from '../kernel/refusal.ts'
import { nameProblem, slugify, titleProblem } from '../kernel/slug.ts'
import { databaseTrouble } from '../kernel/trouble.ts'
import { Unreadable, type FileBytes, type Files } from '../kernel/vault.ts'
import { settle } from '../kernel/vault/settle.ts'
import { dropItem, indexItem } from '../passages/passages.ts'
import {
  findPlace,
  judgeWrite,
  openForWriting,
  readRefusal,
  refuseUnwritable,
  writeRefusal,
  type Scope,
} from '../projects/projects.ts'
import { noteCorpus } from './corpus.ts'
import { noteRead, noteWritten } from './events.ts'
import { notePath, parseNote, renderNote, type Note } from './file.ts'
import {
  deleteNoteRow,
  findNote,
  findNoteBySlug,
  nextTime,
  ownerOfPath,
  upsertNote,
  type FoundNote,
} from './store.ts'

export { noteCorpus } from './corpus.ts'
export { noteRead, noteWritten } from './events.ts'
export type { Note } from './file.ts'

/** A note grows by appending; past this it answers nobody's question any more. 4 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export interface NoteDraft {
  title: string
  body: string
  description?: string
  plan?: string
  source_url?: string
  tags?: string[]
}

/** A note as it was read or written, with the hash of its whole file. */
export interface StoredNote extends Note {
  content_hash: string
  /** False when the file is written and the database stayed away: recall finds it a little later. */
  indexed: boolean
  /** Whether the caller may see the content: a write may be allowed where a read is not. */
  readable: boolean
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
        `the slug "${slug}" is taken by another note in ${project || 'global'}; ` +
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

export type NoteAddress = { id: string } | { slug: string; scope: Scope }

/** What an agent asks for: demand, which leaves an event. */
export async function readNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  address: NoteAddress,
): Promise<StoredNote> {
  const found = await locate(kernel, reach, address)
  const note = await load(kernel, found)
  try {
    const { project, id, slug } = note
    await record(kernel, noteRead, { by, project, item: id, payload: { slug } })
  } catch (error) {
    // A database that takes no writes costs the event, not the answer.
    if (!databaseTrouble(error)) throw error
    kernel.log.warn({ err: error }, 'a read was not recorded')
  }
  return { ...note, indexed: true, readable: true }
}

async function locate(kernel: Kernel, reach: Scope, address: NoteAddress): Promise<FoundNote> {
  if ('id' in address) {
    const found = await findNote(kernel.db, address.id, reach)
    if (!found?.readable) throw notFound(`note with id ${JSON.stringify(address.id)}`)
    return found
  }
  const { scope } = address
  const slug = slugify(address.slug)
  const found = await findNoteBySlug(kernel.db, slug, scope)
  if (found?.readable) return found
  throw notFound(`note with the slug "${slug}" ${searchedWords(scope)}; try recall, or its id`)
}

function searchedWords({ project, searched }: Scope): string {
  if (project === '') return 'in global'
  if (searched.includes('')) return `in project "${project}" nor in global`
  return `in project "${project}"; global is outside this session's world`
}

/** The file is the truth: it is read, and its row follows when it says something else. */
async function load(kernel: Kernel, found: FoundNote): Promise<Note & { content_hash: string }> {
  const file = await kernel.vault.read(found.path)
  if (file?.hash !== found.content_hash) await settleQuietly(kernel, found.path)
  if (!file) throw notFound(`note with id "${found.id}": its file was removed`)
  return { ...understand(file), content_hash: file.hash }
}

async function settleQuietly(kernel: Kernel, path: string): Promise<void> {
  await settle(kernel, noteCorpus, path).catch((error: unknown) =>
    kernel.log.warn({ err: error, path }, 'a changed note was not indexed'),
  )
}

function understand(file: FileBytes): Note {
  try {
    return parseNote(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw unavailable(`the note's file ${file.path} cannot be understood: ${error.message}`, error)
  }
}

/** What a change makes of a note, and what the event says of it. */
interface Change {
  note: Note
  payload: Parameters<typeof record<typeof noteWritten.payload>>[2]['payload']
}

/** The item was moved between the look-up and the lock. */
class Moved extends Error {}

/**
 * One change of one note: found by its id, judged, read inside its lock, changed, written.
 *
 * `to` is the project it moves to. Judged once more inside the transaction.
 */
async function changeNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  change: (note: Note, file: FileBytes, readable: boolean) => Change,
  to?: string,
): Promise<StoredNote> {
  const event = newId(kernel.clock.now())
  for (let attempt = 1; ; attempt++) {
    const found = await reachNote(kernel, reach, id)
    const target = to === undefined ? found.path : notePath(to, found.slug)
    try {
      const { result, indexed } = await kernel.vault.write(
        kernel,
        [found.path, target],
        async (kernel, files) => {
          const { file, readable } = await readUnderLock(kernel, files, reach, found)
          const before = understand(file)
          const { note, payload } = change(before, file, readable)
          if (target !== found.path) await makeRoom(kernel, files, reach, note, target)
          checkSize(note.body)
          note.updated = await nextTime(kernel.db, before.updated)
          if (by.model && note.body !== before.body) note.model = by.model
          const hash = files.put(target, renderNote(note))
          if (target !== found.path) files.remove(found.path)
          return {
            result: { ...note, content_hash: hash, readable },
            async rows(kernel) {
              await indexNote(kernel, note, target, hash)
              const { project } = note
              await record(kernel, noteWritten, { id: event, by, project, item: id, payload })
            },
          }
        },
      )
      return { ...result, indexed }
    } catch (error) {
      if (!(error instanceof Moved) || attempt === 3) throw error
    }
  }
}

async function reachNote(kernel: Kernel, reach: Scope, id: string): Promise<FoundNote> {
  const found = await findNote(kernel.db, id, reach)
  refuseUnwritable(reach, found, `note with id ${JSON.stringify(id)}`)
  return found
}

async function readUnderLock(kernel: Kernel, files: Files, reach: Scope, found: FoundNote) {
  const now = await reachNote(kernel, reach, found.id)
  if (now.path !== found.path) throw new Moved()
  const file = await files.read(found.path)
  if (!file) {
    await kernel.vault.assertPresent()
    throw notFound(`note with id "${found.id}": its file was removed`)
  }
  return { file, readable: now.readable }
}

/** The destination of a move, inside both locks. */
async function makeRoom(
  kernel: Kernel,
  files: Files,
  reach: Scope,
  note: Note,
  target: string,
): Promise<void> {
  await judgeWrite(kernel.db, reach, note.project)
  if ((await ownerOfPath(kernel.db, target)) !== undefined || (await files.read(target))) {
    throw conflict(
      `the slug "${note.slug}" is taken by another note in ${note.project || 'global'}`,
    )
  }
}

export interface NotePatch {
  title?: string
  description?: string
  body?: string
  /** '' is the global scope. */
  project?: string
  tags?: string[]
  tags_add?: string[]
  tags_remove?: string[]
}

/** Changes the fields that are given and no others; slug and id stay. */
export async function updateNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  patch: NotePatch,
  expectHash?: string,
): Promise<StoredNote> {
  if (Object.values(patch).every((value) => value === undefined)) {
    throw invalid(
      'nothing to update: pass title, description, body, project, tags, tags_add or tags_remove',
    )
  }
  const title = patch.title?.trim()
  if (title !== undefined) checkTitle(title)
  const to = await destination(kernel, reach, id, patch.project, expectHash)

  return changeNote(
    kernel,
    by,
    reach,
    id,
    (before, file, readable) => {
      refuseStale(file, expectHash, readable)
      const note: Note = {
        ...before,
        title: title ?? before.title,
        description: patch.description?.trim() ?? before.description,
        body: patch.body ?? before.body,
        project: to ?? before.project,
        tags: patchTags(before.tags, patch),
      }
      return { note, payload: { title: note.title, updated: true } }
    },
    to,
  )
}

function patchTags(before: readonly string[], { tags, tags_add, tags_remove }: NotePatch) {
  const added = [...(tags ?? before), ...(tags_add ?? [])]
  const removed = new Set(tags_remove)
  return [...new Set(added)].filter((tag) => !removed.has(tag))
}

/**
 * Where a move goes, judged and registered; undefined when nothing moves. A hash that is already
 * stale refuses first, so that a refused call registers no project.
 */
async function destination(
  kernel: Kernel,
  reach: Scope,
  id: string,
  asked: string | undefined,
  expectHash: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined) return undefined
  const found = await reachNote(kernel, reach, id)
  if (asked === found.project) return undefined
  const file = await kernel.vault.read(found.path)
  if (file) refuseStale(file, expectHash, found.readable)
  const old = await findPlace(kernel.db, found.project)
  const refusal = readRefusal(reach.caller, old) ?? writeRefusal(reach.caller, old)
  if (refusal) throw forbidden(refusal)
  return openForWriting(kernel, reach.caller, asked)
}

/** Exact search and replace in the body; all edits or none. Answers the diff of what landed. */
export async function editNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  edits: readonly Edit[],
  expectHash?: string,
): Promise<StoredNote & { diff: string }> {
  let diff = ''
  const note = await changeNote(kernel, by, reach, id, (before, file, readable) => {
    refuseStale(file, expectHash, readable)
    const body = readable ? applyEdits(before.body, edits) : applyBlind(before.body, edits)
    diff = unifiedDiff(before.body, body)
    return { note: { ...before, body }, payload: { title: before.title, edited: true, diff } }
  })
  return { ...note, diff }
}

/** Whoever may not read the body learns only whether all edits fit, not which one or how often. */
function applyBlind(body: string, edits: readonly Edit[]): string {
  try {
    return applyEdits(body, edits)
  } catch {
    throw invalid('the edits do not fit; the content goes only to sessions bound to its project')
  }
}

/** Adds a dated paragraph at the end. Needs no hash: appends of many agents all land. */
export async function appendNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  text: string,
): Promise<StoredNote> {
  if (text.trim() === '') throw invalid('body must not be blank')
  checkSize(text)
  return changeNote(kernel, by, reach, id, (before) => {
    const stamp = kernel.clock.now().toISOString().slice(0, 16).replace('T', ' ')
    const old = before.body.replace(/[\r\n]+$/, '')
    const body = `${old && `${old}\n\n`}${stamp} -- ${text}\n`
    return { note: { ...before, body }, payload: { slug: before.slug, appended: true } }
  })
}

/** Removes file and row for good; no pointer is left. */
export async function deleteNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
): Promise<void> {
  const event = newId(kernel.clock.now())
  for (let attempt = 1; ; attempt++) {
    const found = await reachNote(kernel, reach, id)
    try {
      await kernel.vault.write(kernel, [found.path], async (kernel, files) => {
        const { project, slug } = (await readUnderLock(kernel, files, reach, found), found)
        files.remove(found.path)
        return {
          result: undefined,
          async rows(kernel) {
            await deleteNoteRow(kernel.db, id)
            await dropItem(kernel, 'note', id)
            const payload = { slug, deleted: true as const }
            await record(kernel, noteWritten, { id: event, by, project, item: id, payload })
          },
        }
      })
      return
    } catch (error) {
      if (!(error instanceof Moved) || attempt === 3) throw error
    }
  }
}

function checkTitle(title: string): void {
  const problem = titleProblem(title)
  if (problem) throw invalid(`invalid title: ${problem}`)
}

function checkSize(body: string): void {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalid('the note would be larger than 4 MiB; begin a new one and link it')
  }
}

/** Refuses when the file, read inside the lock, is not the one the caller read. */
function refuseStale(file: FileBytes, expected: string | undefined, readable: boolean): void {
  const hash = expected?.trim().toLowerCase()
  if (!hash || hash === file.hash) return
  const found = readable ? `its content_hash is ${file.hash}` : 'its content has changed'
  throw conflict(
    `expect_hash ${JSON.stringify(hash.slice(0, 80))} is stale: ${found}; read the note again`,
  )
}

/** The row and the passages of a note, as its file says. */
async function indexNote(kernel: Kernel, note: Note, path: string, hash: string): Promise<void> {
  await upsertNote(kernel.db, note, path, hash)
  const { id, project, title, description, body } = note
  await indexItem(kernel, { kind: 'note', id, project, active: true, title, description, text: body })
}
