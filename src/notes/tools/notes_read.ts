import Type from 'typebox'
import { invalid } from '../../kernel/refusal.ts'
import { namedTarget, readDocument } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { indexingOf } from '../../passages/passages.ts'
import { wireProject } from '../../projects/projects.ts'
import { noteDocument } from '../notes.ts'

export const notes_read = defineTool({
  name: 'notes_read',
  title: 'Read a note',
  description:
    'Read one note whole, by id or by slug (exactly one; alias name). A slug is looked up in the ' +
    'project, then in global. When you know neither use recall. Keep the content_hash for expect_hash.',
  input: Type.Object({
    id: Type.Optional(fields.noteId),
    slug: Type.Optional(fields.name({ description: 'note slug, or project/slug' })),
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    title: Type.String(),
    slug: Type.String(),
    description: Type.String(),
    project: Type.String(),
    body: Type.String(),
    tags: Type.Array(Type.String()),
    source_url: Type.String(),
    content_hash: Type.String(),
    model: Type.Optional(Type.String()),
    favorite: Type.Optional(Type.Literal(true)),
    indexing: Type.Optional(
      Type.Object({ done: Type.Integer(), of: Type.Integer() }, { description: 'still in work' }),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ id: givenId, slug: givenSlug, project }, { kernel, scopes }) {
    const { actor } = scopes
    const [id, slug] = [givenId?.trim() ?? '', givenSlug?.trim() ?? '']
    if (id && slug) throw invalid('pass id or slug, not both')
    if (!id && !slug) throw invalid('id or slug is required; recall finds notes by their content')
    const target = id
      ? { scope: scopes.reach, address: { id } }
      : await namedTarget(kernel, noteDocument, scopes, slug, project)
    const [note, indexing] = await readDocument(kernel, actor, noteDocument, target, ({ id }) =>
      indexingOf(kernel.db, 'note', id),
    )
    return {
      id: note.id,
      title: note.title,
      slug: note.slug,
      description: note.description,
      project: wireProject(note.project),
      body: note.body,
      tags: note.tags,
      source_url: note.source_url,
      content_hash: note.content_hash,
      ...(note.model && { model: note.model }),
      ...(note.favorite && { favorite: true as const }),
      ...(indexing && { indexing }),
    }
  },
})
