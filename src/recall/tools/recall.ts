import Type from 'typebox'
import { inherited, toldBySession } from '../../briefing/briefing.ts'
import { parseTime } from '../../kernel/clock.ts'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { asksTooMuch, ITEM_KINDS, MOST_ASKED, type ItemKind } from '../../passages/passages.ts'
import { MEMORY_KINDS } from '../../memories/memories.ts'
import { EVIDENCE, recall as answer, SOURCES } from '../recall.ts'

const SCOPES = ['all', 'memories', 'notes', 'tasks', 'trials', 'sessions'] as const
type SearchScope = (typeof SCOPES)[number]

/** What each scope looks for. */
const KINDS: Record<SearchScope, readonly ItemKind[]> = {
  all: ITEM_KINDS,
  memories: ['memory'],
  notes: ['note'],
  tasks: ['task'],
  trials: ['trial'],
  sessions: ['session'],
}

const Explained = Type.Object({
  words: Type.Optional(
    Type.Object({
      rank: Type.Integer(),
      score: Type.Number(),
      matched: Type.Array(Type.String()),
    }),
  ),
  meaning: Type.Optional(Type.Object({ rank: Type.Integer(), similarity: Type.Number() })),
  boosts: Type.Optional(
    Type.Object({ star: Type.Optional(Type.Number()), utility: Type.Optional(Type.Number()) }),
  ),
})

const NearMiss = Type.Object({
  kind: Type.Enum([...ITEM_KINDS], { type: 'string' }),
  id: Type.String(),
  name: Type.String(),
  title: Type.String(),
  score: Type.Number(),
  why: Type.String(),
})

const TOO_MUCH = `only the first ${MOST_ASKED} words of query were looked for; ask for the rest apart`

const descriptionOf = (what: string): string =>
  `Search what agents have written down, before you guess or ask: ${what}. Ask in your own words; ` +
  'identifiers, paths and error messages are found too, in the project, what it inherits and global. ' +
  'Best first: read those that matter with memory_read or notes_read. ' +
  'evidence says how far to believe them. kind without query lists memories of that kind.'

const inputOf = (scopes: readonly SearchScope[]) =>
  Type.Object({
    query: Type.Optional(
      fields.question({ description: 'what you want to know; required without kind' }),
    ),
    scope: Type.Optional(Type.Enum([...scopes], { type: 'string', description: 'default: all' })),
    kind: Type.Optional(
      Type.Enum([...MEMORY_KINDS], { type: 'string', description: 'only memories of it' }),
    ),
    project: fields.readProject,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'default 10, most 100' }),
    ),
    as_of: Type.Optional(fields.name({ description: 'RFC 3339 time: what was known then' })),
    explain: Type.Optional(
      Type.Boolean({ description: 'why each hit is here, and what nearly was' }),
    ),
    session: fields.session,
  })

export const recall = defineTool({
  name: 'recall',
  title: 'Recall knowledge',
  description: descriptionOf('memories, notes, tasks, findings of sessions'),
  input: inputOf(SCOPES.filter((scope) => scope !== 'trials')),
  research: {
    description: descriptionOf('memories, notes, tasks, trials, findings of sessions'),
    input: inputOf(SCOPES),
  },
  output: Type.Object({
    hits: Type.Array(
      Type.Object({
        kind: Type.Enum([...ITEM_KINDS], { type: 'string' }),
        id: Type.String(),
        name: Type.String({ description: 'memory name or note slug, to read it by' }),
        title: Type.String(),
        description: Type.String(),
        project: Type.String(),
        age: Type.String({ description: 'since it was changed last' }),
        source: Type.Enum([...SOURCES], { type: 'string' }),
        score: Type.Number({ minimum: 0, maximum: 1 }),
        status: Type.Optional(Type.String()),
        favorite: Type.Optional(Type.Literal(true)),
        passage: Type.Optional(
          Type.String({ description: 'what matched, where the description says less' }),
        ),
        ended: Type.Optional(
          Type.Enum(['superseded', 'archived'], { type: 'string', description: 'since as_of' }),
        ),
        superseded_by: Type.Optional(Type.String({ description: 'what to read instead' })),
        explain: Type.Optional(Explained),
      }),
    ),
    evidence: Type.Optional(Type.Enum([...EVIDENCE], { type: 'string' })),
    degraded: Type.Optional(
      Type.String({
        description: 'why the configured provider gave no meaning: words alone were looked at',
      }),
    ),
    near_misses: Type.Optional(Type.Array(NearMiss)),
    incomplete: Type.Optional(Type.String({ description: 'why it may lack something' })),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  core: true,

  async run(input, { kernel, scopes, features, session, began }) {
    const { scope: wanted = 'all', kind, project, limit = 10, explain = false } = input
    const query = input.query?.trim() ?? ''
    if (query === '' && kind === undefined) {
      throw invalid('query is required, or kind to list memories of one kind')
    }
    if (kind !== undefined && wanted !== 'all' && wanted !== 'memories') {
      throw invalid(
        `kind is of memories only and contradicts scope "${wanted}"; leave one of them out`,
      )
    }
    const at = timeOf(input.as_of)
    const sought = KINDS[kind === undefined ? wanted : 'memories']
    const kinds = features.research ? sought : sought.filter((kind) => kind !== 'trial')
    const own = await scopes.read(project)
    const [scope, gap] = await Promise.all([
      inherited(kernel, own),
      kernel.catchUp.gap(kernel, began),
    ])
    const found = await answer(kernel, scopes.actor, scope, {
      query,
      kinds,
      limit,
      scope: wanted,
      memoryKind: kind,
      at,
      explain,
    })
    if (session) {
      const memories = found.hits.filter(({ kind }) => kind === 'memory')
      await toldBySession(
        kernel,
        session,
        memories.map(({ id }) => id),
      )
    }
    const gaps = [gap, asksTooMuch(query) ? TOO_MUCH : undefined, found.incomplete]
    const incomplete = gaps.filter((gap) => gap !== undefined).join('; ')
    return { ...found, ...(incomplete !== '' && { incomplete }) }
  },
})

function timeOf(text = ''): Date | undefined {
  if (text.trim() === '') return undefined
  const time = parseTime(text.trim())
  if (time) return time
  throw invalid('as_of must be an RFC 3339 time with its zone, such as 2026-01-31T12:00:00Z')
}
