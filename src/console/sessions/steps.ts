/**
 * The rows of a trace: one for each call, and one for each thing that came without a call. What a call did is
 * folded into its row: that it wrote a memory, which items it found.
 */
import type { FeedEvent } from '../../kernel/feed.ts'
import { argumentOf, lineOf } from '../live/argument.ts'
import { severityOf, summaryOf } from '../live/events.ts'
import { actsByCall, byTime, LATE_MS } from './acts.ts'

export interface Step {
  id: string
  at: Date
  /** Of views/partials/glyph.liquid, and what it says aloud. */
  tone: string
  word: string
  what: string
  /** The argument, and what came of it. */
  text: string
  answer: string
  took: string | null
  items: number | null
  failed: boolean
  /** The item that it is about; '' when there is none. */
  item: string
}

/**
 * Returns the rows in the order of the events, which is from the newest on, or from the oldest.
 *
 * @param isAlone says which acts have a row of their own even when a call did them
 */
export function stepsOf(
  events: readonly FeedEvent[],
  isAlone: (event: FeedEvent) => boolean = () => false,
): Step[] {
  const some = events.filter((event) => event.kind === 'tool.call' || !isAlone(event))
  const folded = new Map([...actsByCall(some), ...runsOf(some)])
  const into = new Set([...folded.values()].flat())
  return events
    .filter((event) => !into.has(event))
    .map((event) => {
      if (event.kind === 'tool.call') return callStep(event, folded.get(event) ?? [])
      if (event.kind === CAPTURED) return runStep(event, folded.get(event) ?? [])
      return actStep(event)
    })
}

const CAPTURED = 'subagent.captured'
/** The runs of subagents: each kept report with the last briefing of a subagent before it, and with its note. */
function runsOf(events: readonly FeedEvent[]): Map<FeedEvent, FeedEvent[]> {
  const briefings: FeedEvent[] = []
  const runs = new Map<FeedEvent, FeedEvent[]>()
  for (const event of events.toSorted(byTime)) {
    const { session_id: session } = event
    if (event.kind === 'retrieval.injected' && event.payload['hook'] === 'subagent-start')
      briefings.push(event)
    if (event.kind !== CAPTURED) continue
    const at = briefings.findLastIndex(({ session_id }) => session_id === session)
    const [briefing] = at < 0 ? [] : briefings.splice(at, 1)
    const notes = events.filter(
      ({ kind, item_id, ts }) =>
        kind === 'note.written' &&
        item_id === event.item_id &&
        Math.abs(ts.getTime() - event.ts.getTime()) < 10 * LATE_MS,
    )
    runs.set(event, [...(briefing ? [briefing] : []), ...notes])
  }
  return runs
}

function callStep(call: FeedEvent, acts: readonly FeedEvent[]): Step {
  const { payload } = call
  const failed = payload['is_error'] === true
  const tones = acts.map(toneOf)
  const tone = failed
    ? 'danger'
    : (['written', 'injected'].find((tone) => tones.includes(tone)) ?? 'called')
  const shown = acts.flatMap(({ payload }) => idsIn(payload))
  const about = acts.find(({ item_id }) => item_id)
  return {
    ...stepOf(call, tone),
    what: String(payload['tool'] ?? 'a tool'),
    text: argumentOf(payload['args']),
    answer: failed ? errorOf(payload) : answerOf(payload, acts),
    took: typeof payload['duration_ms'] === 'number' ? tookOf(payload['duration_ms']) : null,
    items: shown.length > 0 ? shown.length : null,
    failed,
    item: about?.item_id ?? '',
  }
}

function runStep(event: FeedEvent, parts: readonly FeedEvent[]): Step {
  const briefing = parts.find(({ kind }) => kind === 'retrieval.injected')
  const items = briefing ? idsIn(briefing.payload).length : 0
  const asked = lineOf(event.payload['prompt'])
  return {
    ...stepOf(event, 'written'),
    what: `subagent ${String(event.payload['agent_type'] ?? '')}`.trim(),
    text: asked && `“${asked}”`,
    answer: 'its report is kept',
    took: briefing ? tookOf(event.ts.getTime() - briefing.ts.getTime()) : null,
    items: items > 0 ? items : null,
    failed: false,
    item: '',
  }
}

function actStep(event: FeedEvent): Step {
  const { kind, payload } = event
  const ids = idsIn(payload)
  const [what, text] = wordsOf(event)
  return {
    ...stepOf(event, toneOf(event)),
    what,
    text,
    answer: '',
    took: null,
    items: ids.length > 0 && kind !== 'agent.mishap' ? ids.length : null,
    failed: kind === 'agent.mishap' || kind === 'hook.error',
    item: event.item_id ?? '',
  }
}

const WORDS: Readonly<Record<string, string>> = {
  danger: 'failed',
  attention: 'mishap',
  injected: 'context shown',
  briefed: 'briefed',
  written: 'written',
  called: 'called',
  moved: 'moved',
  done: 'over',
  live: 'began',
  moment: 'moment',
}

const stepOf = ({ id, ts }: FeedEvent, tone: string) => ({
  id,
  at: ts,
  tone,
  word: WORDS[tone] ?? tone,
})

function toneOf(event: FeedEvent): string {
  const { kind, payload } = event
  if (kind === 'retrieval.injected')
    return payload['hook'] === 'session-start' ? 'briefed' : 'injected'
  if (kind === 'session.started') return 'live'
  if (kind === 'session.ended') return 'done'
  if (kind === 'agent.mishap') return 'attention'
  const severity = severityOf(event)
  if (severity === 'danger') return 'danger'
  if (severity === 'write') return 'written'
  if (severity === 'moment') return 'moment'
  return kind === 'task.transition' || kind.startsWith('plan.') ? 'moved' : 'called'
}

/** What it was, and what is said of it. */
function wordsOf(event: FeedEvent): [what: string, text: string] {
  const { kind, payload } = event
  const asked = lineOf(payload['prompt'])
  switch (kind) {
    case 'retrieval.injected': {
      const hook = String(payload['hook'] ?? payload['source'] ?? '')
      const told = toldOf(payload)
      if (hook === 'session-start') return ['briefed', `at session start: ${told}`]
      if (hook === 'subagent-start') return ['briefed', `a subagent: ${told}`]
      if (asked !== '') return ['prompt', `“${asked}” · ${told}`]
      return [hook || 'context', told]
    }
    case 'hook.prompt':
      return ['prompt', asked === '' ? summaryOf(event) : `“${asked}”`]
    case 'agent.mishap':
      return ['mishap', lineOf(payload['description'])]
    case 'session.started':
      return ['began', summaryOf(event)]
    case 'session.ended':
      return ['ended', summaryOf(event)]
    default:
      return [kind, summaryOf(event)]
  }
}

function toldOf(payload: FeedEvent['payload']): string {
  const n = idsIn(payload).length
  const tokens = payload['emitted_estimated_tokens']
  const held = payload['held_item_count']
  return [
    `${n} ${n === 1 ? 'item' : 'items'}`,
    ...(typeof tokens === 'number' ? [`${tokens.toLocaleString('en')} tokens`] : []),
    ...(typeof held === 'number' ? [`${held} told before`] : []),
  ].join(', ')
}

const idsIn = (payload: FeedEvent['payload']): readonly unknown[] =>
  Array.isArray(payload['item_ids']) ? payload['item_ids'] : []

const errorOf = ({ error, result, tool }: FeedEvent['payload']): string =>
  lineOf(error ?? result).replace(`${String(tool)}: `, '')

/** What came of it: what it did, else how many of something it found. */
function answerOf(payload: FeedEvent['payload'], acts: readonly FeedEvent[]): string {
  const did = acts.filter(({ kind }) => !/\.(read|injected)$/.test(kind))
  if (did.length > 0) return summaryOf(did[0]!)
  if (acts.some(({ kind }) => kind.endsWith('.read'))) return ''
  const parsed = parsedOf(payload['result'])
  const list = Object.entries(parsed).find(([, value]) => Array.isArray(value))
  if (!list) return ''
  const [name, { length }] = list as [string, unknown[]]
  const words = name.replaceAll('_', ' ')
  return `${length} ${length === 1 ? words.replace(/ies$/, 'y').replace(/s$/, '') : words}`
}

function parsedOf(result: unknown): Record<string, unknown> {
  if (typeof result !== 'string' || !result.startsWith('{') || result.endsWith('[truncated]'))
    return {}
  try {
    return JSON.parse(result) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** `7 ms`, `1.2 s`, `2m 5s`. */
export function tookOf(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}
