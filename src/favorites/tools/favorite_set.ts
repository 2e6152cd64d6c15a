import Type from 'typebox'
import { Refusal } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { FAVORITE_KINDS, setFavorite } from '../favorites.ts'

export const favorite_set = defineTool({
  name: 'favorite_set',
  title: 'Set a star',
  description:
    'Star what people and agents will come back to, or take the star away. A starred memory stands ' +
    'in every briefing and starred items rank higher in recall: star sparingly. To make a rule ' +
    'binding use memory_write kind=constraint.',
  input: Type.Object({
    kind: Type.Enum([...FAVORITE_KINDS], { type: 'string', description: 'what it is' }),
    id: fields.name({
      description:
        'memory: name, or project/name; note: id or slug; project, plan: slug; session: id or name; else id',
    }),
    favorite: Type.Boolean({ description: 'false takes it away' }),
    project: fields.readProject,
    session: fields.session,
  }),
  output: Type.Object({
    favorite: Type.Boolean(),
    id: Type.String(),
    kind: Type.Enum([...FAVORITE_KINDS], { type: 'string' }),
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },

  async run({ kind, id, favorite, project }, { kernel, scopes, features }) {
    if (kind === 'trial' && !features.research) {
      throw new Refusal(
        'disabled',
        'the research feature is disabled, so there are no trials to star',
      )
    }
    const star = { kind, id, favorite, project }
    const { indexed } = await setFavorite(
      kernel,
      scopes.actor,
      { caller: scopes.caller, read: scopes.read, reach: scopes.reach },
      star,
    )
    return { favorite, id, kind, ...(!indexed && { indexed }) }
  },
})
