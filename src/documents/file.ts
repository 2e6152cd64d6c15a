/** A document as a markdown file: `<root>/<project or _global>/<name>.md`. */
import { wireTime } from '../kernel/clock.ts'
import { isId } from '../kernel/id.ts'
import { invalid, notFound, unavailable } from '../kernel/refusal.ts'
import { isReserved } from '../projects/projects.ts'
import {
  listOf,
  parseFrontmatter,
  renderFrontmatter,
  textOf,
  timeOf,
  unknownKeys,
} from '../text/frontmatter.ts'
import { slugify } from '../text/slug.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import type { Document, DocumentKind } from './kind.ts'

export const documentPath = ({ root }: { root: string }, project: string, name: string): string =>
  `${root}/${project || '_global'}/${name}.md`

/** Returns the parts of a path; the project '' is the global scope. */
export function splitPath(path: string): { project: string; name: string } {
  const [, directory = '', file = ''] = path.split('/')
  return { project: directory === '_global' ? '' : directory, name: file.slice(0, -'.md'.length) }
}

/**
 * The same for the file of the document with this id: its parts must be slugs. A name of which no slug can
 * be made gives way to the id. Throws Unreadable.
 */
export function placeOf(path: string, id: string): { project: string; name: string } {
  const { project, name: given } = splitPath(path)
  const name = slugify(given) === '' ? slugify(id) : given
  if (slugify(name) !== name) {
    throw new Unreadable(`its name is not a slug; rename it to ${slugify(name)}.md`)
  }
  const slug = slugify(project)
  // Told first: to be renamed to a reserved slug would be bad advice.
  if (isReserved(slug)) {
    throw new Unreadable(
      `its directory is named "${project}", which can be no project; the global scope is _global`,
    )
  }
  if (slug !== project) {
    throw new Unreadable(`its directory is not a project slug${slug && `; rename it to ${slug}`}`)
  }
  return { project, name }
}

const SHARED = [
  'id',
  'description',
  'project',
  'created',
  'updated',
  'model',
  'favorite',
  'tags',
  'uncut',
]

/** Returns the bytes of the document's file. Empty values are left out but for what identifies it. */
export function renderDocument({ head }: DocumentKind, document: Document): Buffer {
  const { id, project, created, updated, model, favorite, tags, uncut, extra, body } = document
  return renderFrontmatter({
    head: {
      id,
      ...head.first(document),
      ...(project && { project }),
      created: wireTime(created),
      updated: wireTime(updated),
      ...head.second(document),
      ...(model && { model }),
      ...(favorite && { favorite: true }),
      ...(tags.length > 0 && { tags }),
      ...(uncut && { uncut: true }),
      ...extra,
    },
    body,
  })
}

/**
 * Returns the document in a file. Where it lies says which project and name it has; its head says
 * the rest, but for the times of a file that was made by hand: it need not name them. Throws Unreadable.
 */
export function parseDocument<D extends Document>(
  kind: DocumentKind<D>,
  { path, bytes, times }: FileBytes,
): D {
  const { head, body } = parseFrontmatter(bytes)
  const id = idOf(head)
  const { project, name } = placeOf(path, id)
  return kind.head.parse(head, name, () => ({
    id,
    description: textOf(head, 'description'),
    project,
    created: timeOf(head, 'created', times?.made),
    updated: timeOf(head, 'updated', times?.changed),
    model: textOf(head, 'model'),
    favorite: head['favorite'] === true,
    tags: listOf(head, 'tags'),
    uncut: head['uncut'] === true,
    extra: unknownKeys(head, [...SHARED, ...kind.head.keys]),
    body,
  }))
}

/** The bytes of a file with its times in its head. They stay as they are when it has them. Throws Unreadable. */
export function datedBytes(kind: DocumentKind, file: FileBytes): Buffer {
  const { head } = parseFrontmatter(file.bytes)
  const isDated = ['created', 'updated'].every((key) => textOf(head, key) !== '')
  return isDated ? file.bytes : renderDocument(kind, parseDocument(kind, file))
}

function idOf(head: Record<string, unknown>): string {
  const id = textOf(head, 'id')
  if (id === '') throw new Unreadable('its head has no "id"')
  if (!isId(id)) throw new Unreadable('its "id" is not a ULID')
  return id
}

/** Returns the document in a file, or refuses with what is wrong with the file. */
export function understand<D extends Document>(kind: DocumentKind<D>, file: FileBytes): D {
  try {
    return parseDocument(kind, file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const problem = `cannot be understood: ${error.message}${kind.words.broken}`
    throw unavailable(`the ${kind.kind}'s file ${file.path} ${problem}`, error)
  }
}

/** Returns the document with this id in the file where it was found. */
export function understandFound<D extends Document>(
  kind: DocumentKind<D>,
  file: FileBytes,
  id: string,
): D {
  const document = understand(kind, file)
  refuseUnless(kind, document, id)
  return document
}

/** Refuses the file of another document. One that nobody understands is of the document that was found there. */
export function refuseOther(kind: DocumentKind, file: FileBytes, id: string): void {
  let document: Document
  try {
    document = parseDocument(kind, file)
  } catch (error) {
    if (error instanceof Unreadable) return
    throw error
  }
  refuseUnless(kind, document, id)
}

function refuseUnless(kind: DocumentKind, document: Document, id: string): void {
  if (document.id === id) return
  const name = kind.words.calledBy === 'name' ? ` "${kind.nameOf(document)}"` : ''
  throw notFound(`${kind.kind}${name} with id "${id}": its file holds another ${kind.kind} now`)
}

/** Nobody reads a longer text. 4 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Refuses a body of so many bytes when it is too large. */
export function checkBytes({ kind, words }: DocumentKind, bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return
  throw invalid(`the ${kind} would be larger than 4 MiB; ${words.tooLarge}`)
}

export const checkSize = (kind: DocumentKind, body: string): void =>
  checkBytes(kind, Buffer.byteLength(body))
