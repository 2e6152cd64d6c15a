import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { parseProject } from '../../projects/projects.ts'
import { updateNote } from '../notes.ts'

export const notes_update = defineTool({
  name: 'notes_update',
  title: 'Update a note',
  description:
    'Change a note: title, description, tags, project or the whole body; what you leave out stays. ' +
    'For part of the body use notes_edit, to add notes_append.',
  input: Type.Object({
    id: fields.noteId,
    title: Type.Optional(fields.title({ description: 'new title' })),
    description: Type.Optional(fields.line({ description: 'new one line' })),
    body: Type.Optional(fields.body),
    expect_hash: fields.expectHash,
    project: Type.Optional(fields.name({ description: 'moves it there, or to global' })),
    tags: Type.Optional(fields.tagList('replace all; a captured plan keeps its marks')),
    tags_add: Type.Optional(fields.tagList('to add')),
    tags_remove: Type.Optional(fields.tagList('to drop')),
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
