/** What a transcript of Claude Code says. */
import { now } from '../../../client/node.ts'
import {
  count,
  cut,
  head,
  type Line,
  lines,
  newestFirst,
  tail,
  textOf,
  type Tokens,
} from './lines.ts'

/** What Claude Code placed before an answer that no model gave. */
const SYNTHETIC = '<synthetic>'

/** The text of the last thing said on the main thread, and by which model. */
export function lastOfClaude(path: string): { findings?: string; model?: string } | undefined {
  let last: Line['message']
  let findings = ''
  for (const { type, isSidechain, message } of newestFirst(path)) {
    if (type !== 'assistant' || isSidechain === true || message?.model === SYNTHETIC) continue
    last ??= message ?? {}
    findings = textOf(message?.content)
    if (findings !== '') break
  }
  if (!last) return undefined
  const { model } = last
  return {
    ...(findings && { findings: cut(findings) }),
    ...(typeof model === 'string' && model !== '' && { model }),
  }
}

/**
 * Everything that a session used, its subagents included; a message counts once, however often it is repeated.
 * No further transcript is begun after `patienceMs`: the client does not wait for long.
 */
export async function tokensOfClaude(
  paths: readonly string[],
  patienceMs: number,
): Promise<Tokens | undefined> {
  const byMessage = new Map<string, Record<string, unknown>>()
  const until = now() + patienceMs
  for (const path of paths) {
    if (now() > until) break
    for await (const { message } of lines(path)) {
      if (typeof message?.id === 'string' && message.usage) byMessage.set(message.id, message.usage)
    }
  }
  if (byMessage.size === 0) return undefined
  const sum = (key: string): number =>
    [...byMessage.values()].reduce((total, usage) => total + count(usage[key]), 0)
  return {
    input: sum('input_tokens'),
    cached: sum('cache_read_input_tokens'),
    cache_creation: sum('cache_creation_input_tokens'),
    output: sum('output_tokens'),
  }
}

/** A subagent's task: the first thing that was said to it. */
export function firstAskedOfClaude(path: string): string | undefined {
  const asked = head(path).find(({ type }) => type === 'user')
  return textOf(asked?.message?.content) || undefined
}

/** A subagent's answer, once its transcript ends with one: a text, and no call that is still open. */
export function reportOfClaude(path: string): string | undefined {
  const last = tail(path).at(-1)
  if (last?.type !== 'assistant' || hasToolCall(last.message?.content)) return undefined
  return textOf(last.message?.content) || undefined
}

/** A call that starts a subagent, as the transcript of its parent holds it. */
interface Call {
  type?: unknown
  id?: unknown
  name?: unknown
  input?: { prompt?: unknown; subagent_type?: unknown }
}

/** The names of the tool that starts a subagent, and the kind that it starts when none is named. */
const STARTERS = new Set(['Agent', 'Task'])
const USUAL_KIND = 'general-purpose'

/**
 * What a subagent of this kind was just asked to do: the calls of the last message that started one and
 * have no answer yet, in their order. A message can start several at once.
 */
export function askedOfSubagents(path: string, kind: string): string[] {
  const read = tail(path)
  const answered = new Set(
    read
      .flatMap((line) => callsIn(line))
      .map((part) => (part as { tool_use_id?: unknown }).tool_use_id),
  )
  const asked = read.flatMap((line) =>
    callsIn(line)
      .filter((call) => startsKind(call, kind) && !answered.has(call.id))
      .map((call) => ({
        message: line.message?.id,
        prompt: String(call.input?.prompt ?? '').trim(),
      })),
  )
  const last = asked.at(-1)
  return asked.filter(({ message }) => message === last?.message).map(({ prompt }) => prompt)
}

const callsIn = ({ isSidechain, message }: Line): Call[] =>
  isSidechain !== true && Array.isArray(message?.content)
    ? message.content.filter((part) => typeof part === 'object' && part !== null)
    : []

function startsKind({ type, name, input }: Call, kind: string): boolean {
  if (type !== 'tool_use' || !STARTERS.has(String(name)) || typeof input?.prompt !== 'string')
    return false
  const { subagent_type: said } = input
  return (
    (typeof said === 'string' && said !== '' ? said : USUAL_KIND).toLowerCase() ===
    kind.toLowerCase()
  )
}

const hasToolCall = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((part: { type?: unknown } | null) => part?.type === 'tool_use')
