import Type from 'typebox'
import { defineTool } from '../../mcp/tool.ts'
import { ISOLATION, listProjects } from '../projects.ts'

export const project_list = defineTool({
  name: 'project_list',
  title: 'List projects',
  description:
    "List every project's slug, name, description and fence, to find the slug that you need. To " +
    'search what a project knows use recall.',
  input: Type.Object({}),
  output: Type.Object({
    projects: Type.Array(
      Type.Object({
        id: Type.String(),
        slug: Type.String(),
        name: Type.String(),
        description: Type.String(),
        isolation: Type.Enum(ISOLATION, { type: 'string' }),
      }),
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },

  async run(_, { kernel }) {
    return { projects: await listProjects(kernel.db) }
  },
})
