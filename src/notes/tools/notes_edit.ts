import Type from 'typebox'
import { Edits } from '../../text/edits.ts'
import { editDocument } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { noteDocument } from '../notes.ts'

export const notes_edit = defineTool({
  name: 'notes_edit',
  title: 'Edit a note',
  description:
    "Change parts of a note's body, to correct it, by exact search and replace; all edits apply or none. Each " +
    'old_string must match exactly, whitespace included, and once, unless replace_all. Answers a ' +
    'diff and the new content_hash. To replace the whole body use notes_update, to add notes_append.',
  input: Type.Object({
    id: fields.noteId,
    edits: Edits,
    expect_hash: fields.expectHash,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    title: Type.Optional(Type.String()),
    content_hash: Type.String(),
    diff: Type.Optional(Type.String()),
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ id, edits, expect_hash }, { kernel, scopes }) {
    const target = { scope: scopes.reach, address: { id: id.trim() } }
    const note = await editDocument(kernel, scopes.actor, noteDocument, target, expect_hash, edits)
    const { title, content_hash, diff, indexed } = note
    return {
      id: note.id,
      title,
      content_hash,
      ...(diff && { diff }),
      ...(!indexed && { indexed }),
    }
  },
})
