import Type from 'typebox'
import { invalid } from '../../kernel/refusal.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { createProject, ISOLATION } from '../projects.ts'

export const project_create = defineTool({
  name: 'project_create',
  title: 'Create a project',
  description:
    'Create a project that needs a name or a fence: confidential (others never read it) or sealed ' +
    '(nothing goes in or out). An open one needs no call: a write to a new slug creates it. The ' +
    'fence never changes; an existing slug is refused: see project_list.',
  input: Type.Object({
    name: fields.title({ description: 'for people' }),
    description: Type.Optional(fields.line({ description: 'one line' })),
    isolation: Type.Optional(
      Type.Enum(ISOLATION, { type: 'string', description: 'default: open' }),
    ),
    slug: Type.Optional(fields.name({ description: 'default: from the name' })),
    session: fields.session,
  }),
  output: Type.Object({
    project_id: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    isolation: Type.Enum(ISOLATION, { type: 'string' }),
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },

  async run({ name, description = '', isolation = 'open', slug }, { kernel, scopes }) {
    const given = slug?.trim()
    if (name.trim() === '') throw invalid('name must not be blank')
    const project = await createProject(kernel, scopes.caller, {
      name: name.trim(),
      description: description.trim(),
      isolation,
      ...(given && { slug: given }),
    })
    return {
      project_id: project.id,
      slug: project.slug,
      name: project.name,
      isolation: project.isolation,
    }
  },
})
