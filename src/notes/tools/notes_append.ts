import Type from 'typebox'
import { appendToDocument } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { noteDocument } from '../notes.ts'

export const notes_append = defineTool({
  name: 'notes_append',
  title: 'Append to a note',
  description:
    "Add a paragraph at the end of a note, behind a UTC time. Needs no hash: several agents' appends " +
    'all land. To change what it says use notes_edit; for a new subject notes_create.',
  input: Type.Object({
    id: fields.noteId,
    body: fields.body,
    expect_hash: fields.expectHash,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    title: Type.Optional(Type.String()),
    content_hash: Type.String(),
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ id, body, expect_hash }, { kernel, scopes }) {
    const target = { scope: scopes.reach, address: { id: id.trim() } }
    const note = await appendToDocument(
      kernel,
      scopes.actor,
      noteDocument,
      target,
      body,
      expect_hash,
    )
    const { title, content_hash, indexed } = note
    return { id: note.id, title, content_hash, ...(!indexed && { indexed }) }
  },
})
