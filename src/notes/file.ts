/** A note as a markdown file: `notes/<project or _global>/<slug>.md`. */
import { wireTime } from '../kernel/clock.ts'
import {
  listOf,
  parseFrontmatter,
  renderFrontmatter,
  textOf,
  timeOf,
  unknownKeys,
} from '../text/frontmatter.ts'
import { titleProblem } from '../text/slug.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import { idOf, itemPath, placeOf } from '../projects/projects.ts'

/** Everything that a note's file says. */
export interface Note {
  id: string
  title: string
  slug: string
  description: string
  /** '' is the global scope. */
  project: string
  body: string
  tags: string[]
  source_url: string
  model: string
  favorite: boolean
  created: Date
  updated: Date
  /** Keys that are not ours: kept on every rewrite, never interpreted. */
  extra: Record<string, unknown>
}

export const notePath = (project: string, slug: string): string => itemPath('notes', project, slug)

const KEYS = [
  'id',
  'title',
  'slug',
  'description',
  'project',
  'created',
  'updated',
  'source_url',
  'model',
  'favorite',
  'tags',
] as const

/** The bytes of the note's file. Empty values are left out but for what identifies it. */
export function renderNote(note: Note): Buffer {
  const head = {
    id: note.id,
    title: note.title,
    slug: note.slug,
    ...(note.description && { description: note.description }),
    ...(note.project && { project: note.project }),
    created: wireTime(note.created),
    updated: wireTime(note.updated),
    ...(note.source_url && { source_url: note.source_url }),
    ...(note.model && { model: note.model }),
    ...(note.favorite && { favorite: true }),
    ...(note.tags.length > 0 && { tags: note.tags }),
    ...note.extra,
  }
  return renderFrontmatter({ head, body: note.body })
}

/**
 * The note in a file. Where it lies says which project and slug it is; its head says the rest.
 * Throws Unreadable.
 */
export function parseNote({ path, bytes }: FileBytes): Note {
  const { project, slug } = placeOf(path)
  const { head, body } = parseFrontmatter(bytes)
  const id = idOf(head)
  const title = textOf(head, 'title') || slug
  const problem = titleProblem(title)
  if (problem) throw new Unreadable(`its "title" is no title: ${problem}`)
  return {
    id,
    title,
    slug,
    description: textOf(head, 'description'),
    project,
    body,
    tags: listOf(head, 'tags'),
    source_url: textOf(head, 'source_url'),
    model: textOf(head, 'model'),
    favorite: head['favorite'] === true,
    created: timeOf(head, 'created'),
    updated: timeOf(head, 'updated'),
    extra: unknownKeys(head, KEYS),
  }
}
