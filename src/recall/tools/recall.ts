import Type from 'typebox'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { ITEM_KINDS, type ItemKind } from '../../passages/passages.ts'
import { EVIDENCE, recall as answer } from '../recall.ts'

const SCOPES = ['all', 'memories', 'notes', 'tasks', 'sessions'] as const

/** What each scope looks for. */
const KINDS: Record<(typeof SCOPES)[number], readonly ItemKind[]> = {
  all: ['memory', 'note', 'task', 'session'],
  memories: ['memory'],
  notes: ['note'],
  tasks: ['task'],
  sessions: ['session'],
}

/** Of memories, in the order in which they are always named. */
const MEMORY_KINDS = [
  'constraint',
  'convention',
  'runbook',
  'protocol',
  'gotcha',
  'decision',
  'refuted',
  'reference',
  'stage',
] as const

export const recall = defineTool({
  name: 'recall',
  title: 'Recall knowledge',
  description:
    'Search what agents have written down, before you guess or ask: memories, notes, tasks, ' +
    'findings of sessions. Ask in your own words; identifiers, paths and error messages are found ' +
    'too. Searches the project and global. Answers with titles and descriptions, best first: read ' +
    'the ones that matter with memory_read or notes_read. evidence says how far to believe them. ' +
    'kind without query lists memories of that kind.',
  input: Type.Object({
    query: Type.Optional(
      Type.String({ description: 'what you want to know; required unless kind is given' }),
    ),
    scope: Type.Optional(
      Type.Enum([...SCOPES], { type: 'string', description: 'what to search; default all' }),
    ),
    kind: Type.Optional(
      Type.Enum([...MEMORY_KINDS], { type: 'string', description: 'memories of this kind only' }),
    ),
    project: fields.readProject,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'hits at most; default 10' }),
    ),
  }),
  output: Type.Object({
    hits: Type.Array(
      Type.Object({
        kind: Type.Enum([...ITEM_KINDS], { type: 'string' }),
        id: Type.String(),
        name: Type.String({ description: 'memory name or note slug, to read it by' }),
        title: Type.String(),
        description: Type.String(),
        project: Type.Optional(Type.String({ description: 'absent: global' })),
        age: Type.String({ description: 'since it was changed last' }),
        source: Type.Enum(['semantic', 'fts', 'fused', 'link', 'browse'], { type: 'string' }),
        score: Type.Number({ minimum: 0, maximum: 1 }),
        status: Type.Optional(Type.String()),
        favorite: Type.Optional(Type.Literal(true)),
      }),
    ),
    evidence: Type.Enum([...EVIDENCE], { type: 'string' }),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run({ query: given, scope: asked, kind, project, limit = 10 }, { kernel, scopes }) {
    const query = given?.trim() ?? ''
    if (query === '' && kind === undefined) {
      throw invalid('query is required, or kind to list memories of one kind')
    }
    const wanted = asked ?? 'all'
    if (kind !== undefined && wanted !== 'all' && wanted !== 'memories') {
      throw invalid(
        `kind is of memories only and contradicts scope "${wanted}"; leave one of them out`,
      )
    }
    const scope = await scopes.read(project)
    // Kinds are told by memories, and nothing else has one: there is nothing to list.
    if (query === '') return { hits: [], evidence: 'none' as const }
    const kinds = KINDS[kind === undefined ? wanted : 'memories']
    const question = { query, kinds, limit, scope: wanted, ...(kind && { memoryKind: kind }) }
    return answer(kernel, scopes.actor, scope, question)
  },
})
