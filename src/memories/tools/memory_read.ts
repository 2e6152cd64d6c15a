import Type from 'typebox'
import { toldBySession } from '../../briefing/briefing.ts'
import { MissingFields, NextFields, PartFields, readAsked } from '../../documents/documents.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { MEMORY_KINDS, memoryDocument, readMemory } from '../memories.ts'

const Entry = Type.Object({
  id: Type.Optional(Type.String()),
  kind: Type.Optional(Type.Enum([...MEMORY_KINDS], { type: 'string' })),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  source_session: Type.Optional(Type.String()),
  created: Type.Optional(Type.String()),
  created_by: Type.Optional(Type.String({ description: 'name of a session' })),
  updated: Type.Optional(Type.String()),
  updated_by: Type.Optional(Type.String({ description: 'name of a session' })),
  replaced: Type.Optional(Type.Array(Type.String(), { description: 'whose place it took' })),
  model: Type.Optional(Type.String()),
  favorite: Type.Optional(Type.Literal(true)),
  warning: Type.Optional(Type.String({ description: 'it is no longer active' })),
  current: Type.Optional(
    Type.Object(
      { id: Type.String(), name: Type.String() },
      { description: 'what stands in its place today' },
    ),
  ),
  content_hash: Type.Optional(Type.String()),
  ...PartFields,
  next: Type.Optional(Type.Object(NextFields, { description: 'what to pass for the rest' })),
  body: Type.Optional(Type.String()),
})

export const memory_read = defineTool({
  name: 'memory_read',
  title: 'Read a memory',
  description:
    'Read a memory whole, by name or id, or several, before you rely on what its line says. A name ' +
    'is looked up in the project, then in global; one that was superseded still answers, and current ' +
    'says what stands today. Over 6,000 tokens it answers in part, with next, the arguments to go on ' +
    'with. To find one use recall.',
  input: Type.Object({
    name: Type.Optional(fields.memoryName),
    id: Type.Optional(fields.name({ description: 'memory id' })),
    names: fields.severalOf('names or ids'),
    section: fields.section,
    offset: fields.lineOffset,
    limit: fields.lineLimit,
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    ...Entry.properties,
    memories: Type.Optional(
      Type.Array(Type.Object({ ...Entry.properties, ...MissingFields }), {
        description: 'when names was passed',
      }),
    ),
    next: Type.Optional(
      Type.Object(
        {
          ...NextFields,
          names: Type.Optional(Type.Array(Type.String())),
          project: Type.Optional(Type.String()),
        },
        { description: 'what to pass for the rest' },
      ),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ name, id, names, project, ...part }, { kernel, scopes, session }) {
    const sought = { id, name, list: 'names', several: names, project, part }
    const tell = session ? (id: string) => toldBySession(kernel, session, [id]) : undefined
    const read = await readAsked(kernel, scopes, memoryDocument, sought, (target, part, room) =>
      readMemory(kernel, target, part, { by: scopes.actor, room, tell }),
    )
    if (!('entries' in read)) return read
    const { entries: memories, next } = read
    return { memories, ...(next && { next }) }
  },
})
