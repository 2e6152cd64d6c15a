import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { wireProject } from '../../projects/projects.ts'
import { capturePage, parseUrl } from '../capture.ts'

export const capture_url = defineTool({
  name: 'capture_url',
  title: 'Capture a web page',
  description:
    'Keep the readable text of a public web page as a note, to cite and search it later. Private ' +
    'addresses and files that are no text are refused, long ones cut visibly. For text that you have ' +
    'use notes_create with source_url.',
  input: Type.Object({
    url: fields.line({ description: 'http or https address of the page' }),
    project: fields.project,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    project: Type.String(),
    source_url: Type.String({ description: 'the address as it was asked for' }),
    ...fields.created,
    indexed: fields.indexed,
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },

  async run({ url, project: asked }, { kernel, scopes }) {
    const source = url.trim()
    parseUrl(source)
    await scopes.aim(asked)
    const target = { open: () => scopes.write(asked), scope: scopes.reach }
    const note = await capturePage(kernel, scopes.actor, target, source)
    const { id, slug, title, project, source_url, indexed } = note
    return {
      id,
      slug,
      title,
      project: wireProject(project),
      source_url,
      ...(!indexed && { indexed }),
    }
  },
})
