import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { notFound, unavailable } from '../kernel/refusal.ts'
import { slugify } from '../text/slug.ts'
import { databaseTrouble } from '../kernel/trouble.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import { settle } from '../vault/settle.ts'
import { indexingOf } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import { noteFileKind } from './file-kind.ts'
import { noteRead } from './events.ts'
import { parseNote, type Note } from './file.ts'
import { findNote, findNoteBySlug, type FoundNote } from './store.ts'

/** A note as it was read or written, with the hash of its whole file. */
export interface StoredNote extends Note {
  content_hash: string
  /** False when the file is written and the database stayed away: recall finds it a little later. */
  indexed: boolean
  /** Whether the caller may see the content: a write may be allowed where a read is not. */
  readable: boolean
}

export interface ReadNote extends StoredNote {
  /** How far it has come, while the background still indexes it. */
  indexing: Awaited<ReturnType<typeof indexingOf>>
}

export type NoteAddress = { id: string } | { slug: string; scope: Scope }

/** What an agent asks for: demand, which leaves an event. */
export async function readNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  address: NoteAddress,
): Promise<ReadNote> {
  const found = await locate(kernel, reach, address)
  const note = await load(kernel, found)
  const [indexing] = await Promise.all([
    indexingOf(kernel.db, 'note', note.id),
    recordRead(kernel, by, note),
  ])
  return { ...note, indexed: true, readable: true, indexing }
}

async function recordRead(kernel: Kernel, by: Actor, { project, id, slug }: Note): Promise<void> {
  try {
    await record(kernel, noteRead, { by, project, item: id, payload: { slug } })
  } catch (error) {
    // A database that takes no writes costs the event, not the answer.
    if (!databaseTrouble(error)) throw error
    kernel.log.warn({ err: error }, 'a read was not recorded')
  }
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

/** What was looked through, as a miss tells it. */
export function searchedWords({ project, searched }: Scope): string {
  if (project === '') return 'in global'
  if (searched.includes('')) return `in project "${project}" nor in global`
  return `in project "${project}"; global is outside this session's world`
}

/** The file is the truth: it is read, and its row follows when it says something else. */
async function load(kernel: Kernel, found: FoundNote): Promise<Note & { content_hash: string }> {
  const file = await kernel.vault.read(found.path)
  // Rows of a file that is gone are dropped by those who see how many are gone at once.
  if (!file) throw notFound(`note with id "${found.id}": its file was removed`)
  if (file.hash !== found.content_hash) await settleQuietly(kernel, found.path)
  return { ...understand(file, found.id), content_hash: file.hash }
}

async function settleQuietly(kernel: Kernel, path: string): Promise<void> {
  await settle(kernel, noteFileKind, path).catch((error: unknown) =>
    kernel.log.warn({ err: error, path }, 'a changed note was not indexed'),
  )
}

/** The note in a file that is known to be one; says what is wrong when it no longer is. */
export function understand(file: FileBytes, id: string): Note {
  let note: Note
  try {
    note = parseNote(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw unavailable(`the note's file ${file.path} cannot be understood: ${error.message}`, error)
  }
  if (note.id !== id) throw notFound(`note with id "${id}": its file holds another note now`)
  return note
}
