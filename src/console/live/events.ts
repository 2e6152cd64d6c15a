/** What the owner reads of an event: its line, its class, and what was asked and answered. */
import { eventKinds } from '../../event-kinds.ts'
import { findFeatures, type Features } from '../../features/features.ts'
import type { EventKind } from '../../kernel/event-kind.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Kernel } from '../../kernel/kernel.ts'

const SUMMARY_BYTES = 2_000

type Shown = Pick<FeedEvent, 'kind' | 'payload'>

export function isInteraction({ kind, payload }: Shown): boolean {
  const { interaction = false } = eventKinds.get(kind)?.look ?? {}
  return typeof interaction === 'function' ? interaction(payload) : interaction
}

/** The kinds of moments that what happened last does not tell: their feature is off. */
export const untoldKinds = async (kernel: Kernel): Promise<string[]> =>
  untoldWhile(await findFeatures(kernel))

/** The same where these features are in force. */
export function untoldWhile(features: Features): string[] {
  const on: Readonly<Record<string, boolean>> = features
  const isUntold = ({ look: { feature } }: EventKind) => feature !== undefined && !on[feature]
  return [...eventKinds.values()].filter(isUntold).map(({ name }) => name)
}

/** One line for the owner, at most 2 kB. A kind that this version does not know is its own line. */
export function summaryOf({ kind, payload }: Shown): string {
  const line = eventKinds.get(kind)?.summary(payload) ?? kind
  const bytes = Buffer.from(line)
  if (bytes.length <= SUMMARY_BYTES) return line
  // As a part of a stream, so that a character which is cut in two is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, SUMMARY_BYTES), { stream: true })}…`
}

export const SEVERITIES = ['danger', 'inject', 'write', 'moment', 'system'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The class of a row. Each has its word beside its colour. */
export function severityOf({ kind, payload }: Shown): Severity {
  if (payload['is_error'] === true) return 'danger'
  return eventKinds.get(kind)?.look.severity ?? 'system'
}

/** How a class is shown: its glyph (views/partials/glyph.liquid), and its word. */
export const GLYPHS: Record<Severity, { tone: string; word: string }> = {
  danger: { tone: 'danger', word: 'failed' },
  inject: { tone: 'injected', word: 'context shown' },
  write: { tone: 'written', word: 'written' },
  moment: { tone: 'moment', word: 'moment' },
  system: { tone: 'called', word: '' },
}

/** What was asked: arguments of a call as JSON, a prompt or a question as text. */
export function requestOf(payload: FeedEvent['payload']): string | undefined {
  if (payload['args'] !== undefined) return JSON.stringify(payload['args'], null, 2)
  return textOf(payload['prompt'] ?? payload['query'])
}

/** What was answered: a result, delivered context, findings, a plan, a report. */
export const responseOf = (payload: FeedEvent['payload']): string | undefined =>
  textOf(payload['result'] ?? payload['content'] ?? payload['findings'])

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
