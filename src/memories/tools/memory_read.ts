import Type from 'typebox'
import { toldBySession } from '../../briefing/briefing.ts'
import { namedTarget } from '../../documents/documents.ts'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { MEMORY_KINDS, memoryDocument, readMemory } from '../memories.ts'

export const memory_read = defineTool({
  name: 'memory_read',
  title: 'Read a memory',
  description:
    'Read one memory whole, by name or by id (exactly one). A name is looked up in the project, then ' +
    'in global; a memory that was superseded or archived still answers, with a warning that says ' +
    'what to read instead. When you know neither use recall. Keep the content_hash for expect_hash.',
  input: Type.Object({
    name: Type.Optional(fields.memoryName),
    id: Type.Optional(fields.name({ description: 'memory id (ULID)' })),
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    kind: Type.Enum([...MEMORY_KINDS], { type: 'string' }),
    name: Type.String(),
    description: Type.String(),
    project: Type.String(),
    body: Type.String(),
    tags: Type.Array(Type.String()),
    source_session: Type.String(),
    content_hash: Type.String(),
    model: Type.Optional(Type.String()),
    favorite: Type.Optional(Type.Literal(true)),
    warning: Type.Optional(Type.String({ description: 'it is no longer active' })),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ name: givenName, id: givenId, project }, { kernel, scopes, session }) {
    const [name, id] = [givenName?.trim() ?? '', givenId?.trim() ?? '']
    if (id && name) throw invalid('pass id or name, not both')
    if (!id && !name) throw invalid('id or name is required; recall finds memories by content')
    const target = id
      ? { scope: scopes.reach, address: { id } }
      : await namedTarget(kernel, memoryDocument, scopes, name, project)
    const memory = await readMemory(kernel, scopes.actor, target)
    if (session) await toldBySession(kernel, session.id, [memory.id])
    return {
      id: memory.id,
      kind: memory.kind,
      name: memory.name,
      description: memory.description,
      project: wireProject(memory.project),
      body: memory.body,
      tags: memory.tags,
      source_session: memory.source_session,
      content_hash: memory.content_hash,
      ...(memory.model && { model: memory.model }),
      ...(memory.favorite && { favorite: true as const }),
      ...(memory.warning && { warning: memory.warning }),
    }
  },
})
