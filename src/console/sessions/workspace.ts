/** One session whole: what it found, was shown and did. */
import { hasFindings } from '../../sessions/sessions.ts'
import { leftOf, spanOf } from '../durations.ts'
import { isInteraction, severityOf, summaryOf } from '../live/events.ts'
import { interactionOf } from '../live/rows.ts'
import type { ScreenApp } from '../screen.ts'
import { listed } from './listed.ts'
import { claimsOf, contextOf, eventsOf, findSession, kindsOf, memoriesOf } from './trace.ts'

/** Returns what JSON holds, and what its page shows; undefined when there is no session with this id. */
export async function workspaceOf({ kernel, owner }: ScreenApp, id: string) {
  const { db, config } = kernel
  await kernel.telemetry.flush()
  const row = await findSession(db, owner, id, config.sessions.idle_minutes)
  if (!row) return undefined
  const [events, kinds, context, claims, memories] = await Promise.all([
    eventsOf(db, owner, id),
    kindsOf(db, owner, id),
    contextOf(db, owner, id),
    claimsOf(db, owner, id),
    memoriesOf(db, owner, id),
  ])
  const session = aboutOf(row)
  const counted = (kind: string): number => kinds.find((each) => each.kind === kind)?.n ?? 0
  const timeline = events.map(lineOf)
  const data = {
    session,
    ...(session.harness && { harness: session.harness }),
    live: session.live,
    duration: spanOf(row.seconds),
    findings: hasFindings(row.findings) ? row.findings : '',
    timeline,
    interactions: events.filter(isInteraction).map((event) => interactionOf(event)),
    tool_calls: counted('tool.call'),
    memory_reads: counted('memory.read'),
    memory_writes: counted('memory.written'),
    injected_items: context.injected,
    read_after_inject: context.read,
    events_by_kind: kinds,
    claimed_tasks: claims.map(({ id, title, plan, left }) => ({
      id,
      title,
      ...(plan && { plan_slug: plan }),
      lease_left: leftOf(left),
    })),
    memories_written: memories,
    trials_recorded: [],
    mishaps: timeline
      .filter(({ kind }) => kind === 'agent.mishap')
      .map(({ id, ts, summary }) => ({ id, ts, text: summary.replace(/^mishap: /, '') })),
  }
  const read_share =
    context.injected === 0 ? null : Math.round((100 * context.read) / context.injected)
  return { data, open: { ...session, ...data, model: row.model, state: row.state, read_share } }
}

type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>

function aboutOf(row: SessionRow) {
  const { findings: _, ...about } = listed(row)
  return {
    ...about,
    created: row.created,
    favorite: row.favorite,
    cwd: row.cwd,
    external_client: row.external_client,
    client_session_id: row.client_session_id,
    lab: row.lab,
  }
}

const lineOf = (event: Awaited<ReturnType<typeof eventsOf>>[number]) => ({
  id: event.id,
  ts: event.ts,
  kind: event.kind,
  ...(event.project && { project: event.project }),
  ...(event.item_id && { item_id: event.item_id }),
  summary: summaryOf(event),
  tone: severityOf(event),
})
