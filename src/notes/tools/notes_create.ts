import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { checkDraft, createNote } from '../notes.ts'

export const notes_create = defineTool({
  name: 'notes_create',
  title: 'Create a note',
  description:
    'Keep a work note: a finding, a decision record, a summary, anything long enough for its own ' +
    'file. For one durable fact use memory_write; to add to a note notes_append. A title whose slug ' +
    'is taken is refused.',
  input: Type.Object({
    title: fields.title({ description: 'the slug is made of it and never changes' }),
    body: fields.body,
    description: Type.Optional(fields.line({ description: 'one line' })),
    plan: Type.Optional(fields.name({ description: 'slug of the plan that it joins' })),
    project: fields.project,
    source_url: Type.Optional(fields.line({ description: 'where it came from' })),
    tags: fields.tags,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    project: Type.String(),
    plan: Type.Optional(Type.String()),
    ...fields.created,
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run({ project: asked, ...draft }, { kernel, scopes }) {
    checkDraft(draft)
    const project = await scopes.write(asked)
    const note = await createNote(kernel, scopes.actor, { project, scope: scopes.reach }, draft)
    const plan = note.tags.find((tag) => tag.startsWith('plan:'))?.slice('plan:'.length)
    const { id, slug, title, indexed } = note
    return {
      id,
      slug,
      title,
      project: wireProject(project),
      ...(plan !== undefined && { plan }),
      ...(!indexed && { indexed }),
    }
  },
})
