import Type from 'typebox'
import { appendToDocument, namedTarget } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { memoryDocument, stageHint } from '../memories.ts'

export const memory_append = defineTool({
  name: 'memory_append',
  title: 'Append to a memory',
  description:
    'Add text at the end of a memory, found by name in the project, then in global. Needs no hash: ' +
    "several agents' appends all land. To change what it says use memory_edit; for another fact " +
    'memory_write.',
  input: Type.Object({
    name: fields.memoryName,
    body: fields.body,
    project: fields.readProject,
    expect_hash: fields.expectHash,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    status: Type.Literal('appended'),
    stage_hint: fields.stageHint,
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ name, body, project, expect_hash }, { kernel, scopes }) {
    const target = await namedTarget(kernel, memoryDocument, scopes, name, project)
    const memory = await appendToDocument(
      kernel,
      scopes.actor,
      memoryDocument,
      target,
      body,
      expect_hash,
    )
    const hint = stageHint(memory)
    return {
      id: memory.id,
      name: memory.name,
      status: 'appended' as const,
      ...(hint && { stage_hint: hint }),
      ...(!memory.indexed && { indexed: false }),
    }
  },
})
