import Type from 'typebox'
import { isId } from '../../kernel/id.ts'
import { invalid } from '../../kernel/refusal.ts'
import {
  MissingFields,
  namedTarget,
  NextFields,
  PartFields,
  readSeveral,
  refuseParts,
  type Asked,
} from '../../documents/documents.ts'
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
        { ...NextFields, ids: Type.Optional(Type.Array(Type.String())) },
        { description: 'what to pass for the rest' },
      ),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ id: givenId, slug: givenSlug, ids = [], project, ...asked }, { kernel, scopes }) {
    const [id, slug] = [givenId?.trim() ?? '', givenSlug?.trim() ?? '']
    const read = async (id: string, slug: string, asked: Asked, room?: number) => {
      const target = id
        ? { scope: scopes.reach, address: { id } }
        : await namedTarget(kernel, noteDocument, scopes, slug, project)
      return readNote(kernel, scopes.actor, target, asked, room)
    }
    if (id && slug) throw invalid('pass id or slug, not both')
    if (ids.length === 0) {
      if (id || slug) return read(id, slug, asked)
      throw invalid('id or slug is required; recall finds notes by their content')
    }
    if (id || slug) throw invalid('pass ids, or the id or slug of one note, not both')
    refuseParts(asked, 'note')
    const { entries: notes, next } = await readSeveral(ids, (one, room) =>
      isId(one) ? read(one, '', {}, room) : read('', one, {}, room),
    )
    return { notes, ...(next && { next: { ids: next } }) }
  },
})
