/** Events as the stream and the pages show them: one line each, or the richer row of an interaction. */
import { eventKinds } from '../event-kinds.ts'
import type { Batch, FeedEvent } from '../kernel/feed.ts'
import type { Kernel } from '../kernel/kernel.ts'

export const INTERACTIONS = 'interactions'
export type FeedName = '' | typeof INTERACTIONS

export type Frames = readonly { id: string; tx: string; json: string }[]

/** Of a summary, in bytes. */
const MAX_SUMMARY = 2_000
/** Of what was asked and answered, in UTF-16 units. */
const MAX_TEXT = 4_000

/** Agents at work: calls, injections, misses, sessions, plans. */
const INTERACTION_KINDS = new Set([
  'tool.call',
  'hook.prompt',
  'recall.miss',
  'retrieval.injected',
  'session.started',
  'session.ended',
  'plan.captured',
  'plan.presented',
  'plan.approved',
  'subagent.captured',
])
/** What a recall surfaced stands in its tool.call already. */
const TWINS = new Set(['recall', 'recall-browse', 'recall-explain'])

export const isInteraction = ({ kind, payload }: FeedEvent): boolean =>
  INTERACTION_KINDS.has(kind) &&
  !(kind === 'retrieval.injected' && TWINS.has(String(payload['source'])))

/** One line for the owner, at most 2 kB. A kind that this version does not know is its own line. */
export function summaryOf({ kind, payload }: Pick<FeedEvent, 'kind' | 'payload'>): string {
  const line = eventKinds.get(kind)?.summary(payload) ?? kind
  const bytes = Buffer.from(line)
  if (bytes.length <= MAX_SUMMARY) return line
  // As a part of a stream, so that a character which is cut in two is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_SUMMARY), { stream: true })}…`
}

export const SEVERITIES = ['danger', 'inject', 'write', 'system'] as const

/** The four classes of a row's edge; each has its word beside its colour. */
export function severityOf({ kind, payload }: Pick<FeedEvent, 'kind' | 'payload'>) {
  const failed = kind === 'agent.mishap' || kind === 'hook.error' || payload['is_error'] === true
  if (failed) return 'danger' as const
  if (kind === 'retrieval.injected') return 'inject' as const
  if (['memory.written', 'note.written', 'trial.recorded'].includes(kind)) return 'write' as const
  return 'system' as const
}

/**
 * Makes the frames of a batch. Rows of interactions name their session, which is looked up when they
 * are sent: a name may change while it lives.
 */
export function frames(kernel: Kernel): (batch: Batch, feed: FeedName) => Promise<Frames> {
  return (batch, feed) => (feed === '' ? plain(batch) : interactions(kernel, batch))
}

async function plain({ events }: Batch): Promise<Frames> {
  return events.map((event) => ({
    id: event.id,
    tx: event.tx,
    json: JSON.stringify({
      id: event.id,
      ts: event.ts,
      kind: event.kind,
      ...(event.project && { project: event.project }),
      ...(event.session_id && { sessionId: event.session_id }),
      ...(event.item_id && { itemId: event.item_id }),
      summary: summaryOf(event),
    }),
  }))
}

async function interactions(kernel: Kernel, { events }: Batch): Promise<Frames> {
  const shown = events.filter(isInteraction)
  const sessions = await sessionsOf(kernel, shown)
  return shown.map((event) => ({
    id: event.id,
    tx: event.tx,
    json: JSON.stringify(interactionOf(event, sessions.get(event.session_id ?? ''))),
  }))
}

interface SessionName {
  id: string
  name: string
  ambient: boolean
  external_client: string
  model: string
}

async function sessionsOf({ db }: Kernel, events: readonly FeedEvent[]) {
  const ids = [...new Set(events.flatMap(({ session_id }) => session_id ?? []))]
  if (ids.length === 0) return new Map<string, SessionName>()
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'name', 'ambient', 'external_client', 'model'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The row of an interaction, as the feed and the event's page show it. */
export function interactionOf(event: FeedEvent, session?: SessionName) {
  const { payload } = event
  const failed = payload['is_error'] === true
  return {
    id: event.id,
    ts: event.ts,
    kind: event.kind,
    ...(event.project && { project: event.project }),
    summary: summaryOf(event),
    tone: severityOf(event),
    label: labelOf(event),
    ...(event.session_id && { sessionId: event.session_id }),
    ...(session && {
      sessionName: session.name,
      ...(session.ambient && { ambient: true }),
      ...(session.external_client && { harness: session.external_client }),
      ...(session.model && { model: session.model }),
    }),
    ...(failed && { isError: true }),
    ...(typeof payload['duration_ms'] === 'number' && { durationMs: payload['duration_ms'] }),
    ...optional('request', requestOf(payload)),
    ...optional('response', responseOf(payload)),
    ...(Array.isArray(payload['item_ids']) && { items: payload['item_ids'].length }),
  }
}

function labelOf({ kind, payload }: FeedEvent): string {
  const named = payload['tool'] ?? payload['hook'] ?? payload['basename'] ?? payload['agent_type']
  if (typeof named === 'string') return named
  return kind.startsWith('session.') ? 'session' : kind
}

/** What was asked: arguments of a call as JSON, a prompt or a question as text. */
export function requestOf(payload: FeedEvent['payload']): string | undefined {
  if (payload['args'] !== undefined) return JSON.stringify(payload['args'], null, 2)
  return textOf(payload['prompt'] ?? payload['query'])
}

/** What was answered: a result, delivered context, findings, a plan, a report. */
export function responseOf(payload: FeedEvent['payload']): string | undefined {
  return textOf(payload['result'] ?? payload['content'] ?? payload['findings'])
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const optional = (name: string, text: string | undefined) =>
  text === undefined
    ? {}
    : {
        [name]:
          text.length > MAX_TEXT
            ? `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…`
            : text,
      }
