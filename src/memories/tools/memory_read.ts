import Type from 'typebox'
import { toldBySession } from '../../briefing/briefing.ts'
import {
  MissingFields,
  namedTarget,
  NextFields,
  PartFields,
  readSeveral,
  refuseParts,
  type Asked,
} from '../../documents/documents.ts'
import { isId } from '../../kernel/id.ts'
import { invalid } from '../../kernel/refusal.ts'
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
        { ...NextFields, names: Type.Optional(Type.Array(Type.String())) },
        { description: 'what to pass for the rest' },
      ),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run(
    { name: givenName, id: givenId, names = [], project, ...asked },
    { kernel, scopes, session },
  ) {
    const [name, id] = [givenName?.trim() ?? '', givenId?.trim() ?? '']
    const read = async (id: string, name: string, asked: Asked, room?: number) => {
      const target = id
        ? { scope: scopes.reach, address: { id } }
        : await namedTarget(kernel, memoryDocument, scopes, name, project)
      const answer = await readMemory(kernel, scopes.actor, target, asked, room)
      if (session) await toldBySession(kernel, session.id, [answer.id])
      return answer
    }
    if (id && name) throw invalid('pass id or name, not both')
    if (names.length === 0) {
      if (id || name) return read(id, name, asked)
      throw invalid('id or name is required; recall finds memories by content')
    }
    if (id || name) throw invalid('pass names, or the name or id of one memory, not both')
    refuseParts(asked, 'memory')
    const { entries: memories, next } = await readSeveral(names, (one, room) =>
      isId(one) ? read(one, '', {}, room) : read('', one, {}, room),
    )
    return { memories, ...(next && { next: { names: next } }) }
  },
})
