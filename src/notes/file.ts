/** What a note's file says: `notes/<project or _global>/<slug>.md`. */
import type { Document, DocumentKind, Stored } from '../documents/documents.ts'
import { textOf } from '../text/frontmatter.ts'
import { titleProblem } from '../text/slug.ts'
import { Unreadable } from '../vault/vault.ts'

export interface Note extends Document {
  title: string
  slug: string
  source_url: string
}

export type StoredNote = Stored<Note>

export const noteHead: DocumentKind<Note>['head'] = {
  keys: ['title', 'slug', 'source_url'],

  first: ({ title, slug, description }) => ({ title, slug, ...(description && { description }) }),

  second: ({ source_url }) => (source_url ? { source_url } : {}),

  parse(head, slug, readShared) {
    const title = textOf(head, 'title') || slug
    const problem = titleProblem(title)
    if (problem) throw new Unreadable(`its "title" is no title: ${problem}`)
    return { ...readShared(), title, slug, source_url: textOf(head, 'source_url') }
  },
}
