import Type from 'typebox'
import { MissingFields, NextFields, PartFields, readAsked } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { noteDocument, readNote } from '../notes.ts'

const Entry = Type.Object({
  id: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  slug: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  source_url: Type.Optional(Type.String()),
  created: Type.Optional(Type.String()),
  created_by: Type.Optional(Type.String({ description: 'name of a session' })),
  updated: Type.Optional(Type.String()),
  updated_by: Type.Optional(Type.String({ description: 'name of a session' })),
  model: Type.Optional(Type.String()),
  favorite: Type.Optional(Type.Literal(true)),
  indexing: Type.Optional(
    Type.Object({ done: Type.Integer(), of: Type.Integer() }, { description: 'still in work' }),
  ),
  content_hash: Type.Optional(Type.String()),
  ...PartFields,
  next: Type.Optional(Type.Object(NextFields, { description: 'what to pass for the rest' })),
  body: Type.Optional(Type.String()),
})

export const notes_read = defineTool({
  name: 'notes_read',
  title: 'Read a note',
  description:
    'Read a note whole, by id or slug, or several, when recall or a plan has named it. Over 6,000 ' +
    'tokens it answers in part, with its headings and with next, the arguments to go on with. A slug ' +
    'is looked up in the project, then in global. To find one use recall.',
  input: Type.Object({
    id: Type.Optional(fields.noteId),
    slug: Type.Optional(fields.name({ description: 'slug, or project/slug' })),
    ids: fields.severalOf('ids or slugs'),
    section: fields.section,
    offset: fields.lineOffset,
    limit: fields.lineLimit,
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    ...Entry.properties,
    notes: Type.Optional(
      Type.Array(Type.Object({ ...Entry.properties, ...MissingFields }), {
        description: 'when ids was passed',
      }),
    ),
    next: Type.Optional(
      Type.Object(
        {
          ...NextFields,
          ids: Type.Optional(Type.Array(Type.String())),
          project: Type.Optional(Type.String()),
        },
        { description: 'what to pass for the rest' },
      ),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ id, slug, ids, project, ...part }, { kernel, scopes }) {
    const sought = { id, name: slug, list: 'ids', several: ids, project, part }
    const read = await readAsked(kernel, scopes, noteDocument, sought, (target, part, room) =>
      readNote(kernel, scopes.actor, target, part, room),
    )
    if (!('entries' in read)) return read
    const { entries: notes, next } = read
    return { notes, ...(next && { next }) }
  },
})
