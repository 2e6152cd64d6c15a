import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** On every change of a note: create, update, edit, append, delete, and an external change. */
export const noteWritten = defineEvent(
  'note.written',
  Type.Object({
    title: Type.Optional(Type.String()),
    slug: Type.Optional(Type.String()),
    updated: Type.Optional(Type.Literal(true)),
    edited: Type.Optional(Type.Literal(true)),
    appended: Type.Optional(Type.Literal(true)),
    deleted: Type.Optional(Type.Literal(true)),
    /** Changed or removed on disk, by no tool. */
    outside: Type.Optional(Type.Literal(true)),
    diff: Type.Optional(Type.String()),
    /** The page that was captured. */
    source_url: Type.Optional(Type.String()),
  }),
  ({ title, slug, outside, ...how }) => {
    const by = outside ? ' outside of Loam' : ''
    if (how.deleted) return `deleted note ${slug}${by}`
    if (how.appended) return `appended to note ${slug}`
    if (how.edited) return `edited note “${title}”`
    if (how.updated) return `changed note “${title}”${by}`
    return how.source_url ? `captured “${title}”` : `wrote note “${title}”`
  },
  { severity: 'write' },
)

/** An agent read the note: demand. */
export const noteRead = defineEvent(
  'note.read',
  Type.Object({ slug: Type.String() }),
  ({ slug }) => `read note ${slug}`,
)
