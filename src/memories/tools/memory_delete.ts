import Type from 'typebox'
import { deleteDocument, namedTarget } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { memoryDocument } from '../memories.ts'

export const memory_delete = defineTool({
  name: 'memory_delete',
  title: 'Delete a memory',
  description:
    'Delete a memory for good, also a superseded or archived one, which frees its name. When a fact ' +
    'has changed use memory_write with supersedes: that keeps the history.',
  input: Type.Object({
    name: fields.memoryName,
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    project: Type.String(),
    status: Type.Literal('deleted'),
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ name, project }, { kernel, scopes }) {
    const target = await namedTarget(kernel, memoryDocument, scopes, name, project)
    const memory = await deleteDocument(kernel, scopes.actor, memoryDocument, target)
    const { id, name: slug, project: home } = memory
    return { id, name: slug, project: wireProject(home), status: 'deleted' as const }
  },
})
