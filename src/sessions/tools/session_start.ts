import Type from 'typebox'
import { sessionBriefing, toldBySession } from '../../briefing/briefing.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { isFenced, resolvePlace, wireProject } from '../../projects/projects.ts'
import { retrievalInjected } from '../../recall/recall.ts'
import { judgeName, SOURCES, startSession, type SessionRow, type Source } from '../sessions.ts'

export const session_start = defineTool({
  name: 'session_start',
  title: 'Start a session',
  description:
    'Begin work that others may take up: start a session, or resume the one of this name, and read ' +
    "its project's briefing. From then on the connection speaks for it; where connections change, " +
    'pass session to every call. The project follows from project, else from repo and repo_root, ' +
    'else from cwd. Findings go to session_update; to hand over use session_end.',
  input: Type.Object({
    name: Type.Optional(
      fields.name({ description: 'a lasting handle; one that exists is resumed' }),
    ),
    project: Type.Optional(fields.name({ description: 'slug, or global; a new one is created' })),
    repo: Type.Optional(fields.line({ description: 'git remote URL' })),
    repo_root: Type.Optional(fields.line({ description: 'absolute path of the main checkout' })),
    cwd: Type.Optional(fields.line({ description: 'absolute path' })),
    source: Type.Optional(Type.Enum(SOURCES, { type: 'string', description: 'default: explicit' })),
    model: Type.Optional(fields.name({ description: 'your model id, as its provider spells it' })),
  }),
  output: Type.Object({
    session_id: Type.String(),
    name: Type.String(),
    project: Type.String(),
    scope: Type.String({ description: 'how the project was found' }),
    briefing: Type.String(),
    ...fields.created,
    resumed: Type.Optional(Type.Literal(true)),
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },

  async run(
    { name, source = 'explicit', model = '', ...where },
    { kernel, session: known, client, bind },
  ) {
    await judgeName(kernel, name, where)
    const place = await resolvePlace(kernel, where, true)
    const { session, resumed } = await startSession(kernel, {
      ...(name !== undefined && { name }),
      place,
      cwd: where.cwd?.trim() ?? '',
      source,
      model: model.trim(),
      caller: { client, session: known?.id ?? '' },
    })
    await bind(session)
    const scope = session.project === place.project ? place.how : staysWords(session)
    return {
      session_id: session.id,
      name: session.name,
      project: wireProject(session.project),
      scope,
      briefing: await brief(kernel, session, source, scope),
      ...place.created,
      ...(resumed && { resumed: true as const }),
    }
  },
})

/** A session that came back keeps its own project when the place names none, or when it is fenced. */
const staysWords = ({ project, isolation, name }: SessionRow): string =>
  !isFenced({ isolation })
    ? `${project === '' ? 'global' : `project "${project}"`}, to which the session "${name}" belongs`
    : `project "${project}" is ${isolation}: the session "${name}" stays in it; ` +
      'to work elsewhere start one of another name'

/** A session never fails to start for want of its briefing. */
async function brief(
  kernel: Kernel,
  session: SessionRow,
  source: Source,
  how: string,
): Promise<string> {
  const { id, model, project, isolation } = session
  try {
    const { text, items, minimal } = await sessionBriefing(kernel, {
      project: { project, isolation },
      source,
      session,
      how,
    })
    if (text === '' || minimal) return text
    await toldBySession(
      kernel,
      session,
      items.map((item) => item.id),
    )
    await kernel.telemetry.push(retrievalInjected, {
      by: { session: id, model },
      project,
      item: null,
      payload: {
        hook: 'session-start',
        source: 'session_start',
        item_ids: items.map(({ id }) => id),
        content: text,
      },
    })
    return text
  } catch (error) {
    kernel.log.error({ err: error, session: id }, 'a session started without its briefing')
    return ''
  }
}
