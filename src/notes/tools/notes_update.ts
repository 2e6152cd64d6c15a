import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { parseProject } from '../../projects/projects.ts'
import { updateNote } from '../notes.ts'

export const notes_update = defineTool({
  name: 'notes_update',
  title: 'Update a note',
  description:
    'Change fields of a note by id; what you leave out stays, slug and id never change. To change ' +
    'part of the body use notes_edit, to add to it notes_append. body replaces the whole body.',
  input: Type.Object({
    id: fields.noteId,
    title: Type.Optional(fields.title({ description: 'new title' })),
    description: Type.Optional(fields.line({ description: 'new one-line summary' })),
    body: Type.Optional(fields.body),
    expect_hash: fields.expectHash,
    project: Type.Optional(
      fields.name({ description: 'move it to this project; "" or global is the global scope' }),
    ),
    tags: Type.Optional(fields.tagList('replaces all tags')),
    tags_add: Type.Optional(fields.tagList('tags to add')),
    tags_remove: Type.Optional(fields.tagList('tags to drop')),
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    title: Type.Optional(Type.String()),
    content_hash: Type.String(),
    ...fields.created,
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ id, expect_hash, project, ...patch }, { kernel, scopes }) {
    const target = { scope: scopes.reach, address: { id: id.trim() } }
    const to = project !== undefined && { project: parseProject(project) ?? '' }
    const note = await updateNote(kernel, scopes, target, { ...patch, ...to }, expect_hash)
    const { title, content_hash, indexed } = note
    return { id: note.id, title, content_hash, ...(!indexed && { indexed }) }
  },
})
