import { beginTelling, hearerOf, sessionBriefing } from '../briefing/briefing.ts'
import { resolvePlace } from '../projects/projects.ts'
import { ambientSession } from '../sessions/sessions.ts'
import { cutFor } from './clients.ts'
import { endTheGone, SHORT_MS, type Hook } from './hook.ts'

const STARTS = ['startup', 'resume', 'clear', 'compact'] as const

/** Registers where the agent works, begins or resumes its session, and briefs it. */
export const sessionStart: Hook = {
  name: 'session-start',
  does: 'registers where the agent works, begins or resumes its ambient session, and briefs it',
  event: 'SessionStart',
  deadlineMs: SHORT_MS,
  answers: 'context',

  async run(kernel, call) {
    const { client, payload, trouble } = call
    await endTheGone(kernel, call)
    const { session_id: external_id, cwd, repo, repo_root, model, process } = payload
    const source = STARTS.find((each) => each === payload.source) ?? 'startup'
    const place = await resolvePlace(kernel, { cwd, repo, repo_root }, true)
    const { project } = place
    // A client that sends agent_type here has started a subagent, which works under its parent's session.
    const own = external_id !== '' && payload.agent_type === ''
    const start = { client, external_id, project, cwd, source, model, process }
    const session = own
      ? await ambientSession(kernel, start).catch((error: unknown) => {
          trouble('session-start.session', error)
          return undefined
        })
      : undefined

    // A session that resumes in another place may have stayed in its old project, behind its fence.
    const home = session ?? place
    const briefing = await sessionBriefing(kernel, {
      project: { project: home.project, isolation: home.isolation },
      source,
      session,
      handle: session?.name,
      ...(session && source !== 'compact' && home.project === place.project && { how: place.how }),
    })
    const { text, items, minimal } = briefing
    const keep = session ? 1 : 0
    const hearer = hearerOf(client, external_id)
    if (hearer) {
      // A subagent would begin its parent's context anew: then nothing counts as told, and nothing is lost.
      const shown = own ? briefing.shownIn(cutFor(client, text, keep)) : []
      const compacted = source === 'compact'
      const ids = shown.map(({ id }) => id)
      await beginTelling(kernel, hearer, ids, { compacted }).catch((error: unknown) =>
        trouble('session-start.told', error),
      )
    }
    if (text === '') return { session, project: home.project }
    const injection = minimal ? { text, keep } : { text, keep, item_ids: items.map(({ id }) => id) }
    return { session, project: home.project, injection, hearer }
  },
}
