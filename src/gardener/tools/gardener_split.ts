import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { Requested, planSplit } from '../gardener.ts'

const Part = Type.Object({
  slug: fields.name(),
  label: Type.Optional(fields.title()),
})

/** Of one split. */
const MOST_CHILDREN = 20
const MOST_ASSIGNED = 500

export const gardener_split = defineTool({
  name: 'gardener_split',
  title: 'Plan the split of a project',
  description:
    'Propose that a project become several: their creation and the move of each of its memories, as one ' +
    'plan. Nothing is changed: gardener_apply decides each. Settle the children with your user first.',
  input: Type.Object({
    source: fields.name({ description: 'slug of the project' }),
    instruction: Type.Optional(fields.line({ description: 'or in words: into a and b, shared c' })),
    children: Type.Optional(
      fields.list(Part, { maxItems: MOST_CHILDREN, description: 'the projects to be made' }),
    ),
    shared: Type.Optional(
      Type.Object(Part.properties, { description: 'what all of them inherit' }),
    ),
    assignments: Type.Optional(
      fields.list(
        Type.Object({
          memory: fields.name(),
          to: fields.name(),
          reason: Type.Optional(fields.line()),
        }),
        { maxItems: MOST_ASSIGNED, description: 'the others go by the words of the children' },
      ),
    ),
    session: fields.session,
  }),
  output: Requested,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ source, instruction, children, shared, assignments }, { kernel, scopes }) {
    return planSplit(kernel, scopes.actor, await scopes.read(source), {
      source,
      ...(instruction !== undefined && { instruction }),
      ...(children && { children: children.map(labelled) }),
      ...(shared && { shared: labelled(shared) }),
      ...(assignments && { assignments }),
    })
  },
})

const labelled = ({ slug, label = slug }: { slug: string; label?: string }) => ({ slug, label })
