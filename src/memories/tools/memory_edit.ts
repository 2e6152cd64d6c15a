import Type from 'typebox'
import { namedTarget } from '../../documents/documents.ts'
import { Edits } from '../../text/edits.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { editMemory, memoryDocument, stageHint } from '../memories.ts'

export const memory_edit = defineTool({
  name: 'memory_edit',
  title: 'Edit a memory',
  description:
    'Correct the words of a memory: exact search and replace in its body, a new description, tags; ' +
    'all applies or none. Each old_string must match exactly and once, unless replace_all. Answers a ' +
    'diff and the new content_hash. When what it claims has changed use memory_write with supersedes.',
  input: Type.Object({
    name: fields.memoryName,
    edits: Type.Optional(Edits),
    description: Type.Optional(fields.line({ description: 'new one line' })),
    tags_add: Type.Optional(fields.tagList('to add')),
    tags_remove: Type.Optional(fields.tagList('to drop')),
    project: fields.readProject,
    expect_hash: fields.expectHash,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    project: Type.String(),
    content_hash: Type.String(),
    diff: Type.Optional(Type.String()),
    stage_hint: fields.stageHint,
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },

  async run({ name, project, expect_hash, ...patch }, { kernel, scopes }) {
    const target = await namedTarget(kernel, memoryDocument, scopes, name, project)
    const memory = await editMemory(kernel, scopes.actor, target, patch, expect_hash)
    const hint = stageHint(memory)
    return {
      id: memory.id,
      name: memory.name,
      project: wireProject(memory.project),
      content_hash: memory.content_hash,
      ...(memory.diff && { diff: memory.diff }),
      ...(hint && { stage_hint: hint }),
      ...(!memory.indexed && { indexed: false }),
    }
  },
})
