import Type from 'typebox'
import { deleteDocument } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { noteDocument } from '../notes.ts'

export const notes_delete = defineTool({
  name: 'notes_delete',
  title: 'Delete a note',
  description:
    'Delete a note for good, when nobody will need it again. To correct one use notes_edit; to move ' +
    'it notes_update.',
  input: Type.Object({ id: fields.noteId, session: fields.session }),
  output: Type.Object({ id: Type.String(), status: Type.Literal('deleted') }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ id }, { kernel, scopes }) {
    const address = { id: id.trim() }
    await deleteDocument(kernel, scopes.actor, noteDocument, { scope: scopes.reach, address })
    return { ...address, status: 'deleted' as const }
  },
})
