/** Reads a client's own transcript of a session. Every line may be torn, strange or missing. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

export interface Tokens {
  /** Not served from a cache. */
  input: number
  cached: number
  cache_creation: number
  output: number
}

/** What is read of the end of a transcript, in bytes. */
const TAIL = 1024 * 1024
/** What is read of its beginning. */
const HEAD = 256 * 1024
/** A line past this is skipped: no message is so long, but the output of a tool may be. */
const LONGEST_LINE = 16 * 1024 * 1024
/** As much of a last message as is worth keeping, in characters. */
const FINDINGS = 2_000

/** A line of a transcript, as far as anything is known of it. */
interface Line {
  type?: unknown
  isSidechain?: unknown
  message?: {
    id?: unknown
    role?: unknown
    model?: unknown
    content?: unknown
    usage?: Record<string, unknown>
  }
  payload?: Record<string, unknown>
}

/** What Claude Code placed before an answer that no model gave. */
const SYNTHETIC = '<synthetic>'

/** The text of the last thing said on the main thread, and by which model. */
export async function lastOfClaude(
  path: string,
): Promise<{ findings?: string; model?: string; toolCall: boolean } | undefined> {
  const said = (await tail(path)).filter(
    ({ type, isSidechain, message }) =>
      type === 'assistant' && isSidechain !== true && message?.model !== SYNTHETIC,
  )
  const last = said.at(-1)
  if (!last) return undefined
  const findings = said.map((line) => textOf(line.message?.content)).findLast((text) => text !== '')
  const model = last.message?.model
  return {
    ...(findings && { findings: cut(findings) }),
    ...(typeof model === 'string' && model !== '' && { model }),
    toolCall: hasToolCall(last.message?.content),
  }
}

/** Everything that a session used, its subagents included; a message counts once, however often it is repeated. */
export async function tokensOfClaude(path: string): Promise<Tokens | undefined> {
  const byMessage = new Map<string, Record<string, unknown>>()
  for await (const { message } of lines(path)) {
    if (typeof message?.id === 'string' && message.usage) byMessage.set(message.id, message.usage)
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
export async function firstAskedOfClaude(path: string): Promise<string | undefined> {
  const asked = (await head(path)).find(({ type }) => type === 'user')
  return textOf(asked?.message?.content) || undefined
}

/** A subagent's answer, once its transcript ends with one: a text, and no call that is still open. */
export async function reportOfClaude(path: string): Promise<string | undefined> {
  const last = (await tail(path)).at(-1)
  if (last?.type !== 'assistant' || hasToolCall(last.message?.content)) return undefined
  return textOf(last.message?.content) || undefined
}

/** The last thing Codex said, what it used so far, and its model. */
export async function lastOfCodex(
  path: string,
): Promise<{ findings?: string; tokens?: Tokens; model?: string }> {
  const rollout = await tail(path)
  const findings = rollout.map(saidByCodex).findLast((text) => text !== '')
  const used = rollout
    .filter(({ payload }) => payload?.['type'] === 'token_count')
    .map(({ payload }) => usedByCodex(payload?.['info']))
    .findLast((tokens) => tokens !== undefined)
  const model = rollout
    .filter(({ type }) => type === 'turn_context')
    .map(({ payload }) => payload?.['model'])
    .findLast((name) => typeof name === 'string' && name !== '')
  return {
    ...(findings && { findings: cut(findings) }),
    ...(used && { tokens: used }),
    ...(typeof model === 'string' && { model }),
  }
}

/** A Codex subagent's task, from its own rollout. */
export async function firstAskedOfCodex(path: string): Promise<string | undefined> {
  const asked = (await head(path)).find(
    ({ type, payload }) => type === 'event_msg' && payload?.['type'] === 'user_message',
  )
  const message = asked?.payload?.['message']
  return typeof message === 'string' && message !== '' ? message : undefined
}

function saidByCodex({ payload }: Line): string {
  const said = {
    task_complete: payload?.['last_agent_message'],
    agent_message: payload?.['message'],
    message: payload?.['role'] === 'assistant' ? textOf(payload['content']) : '',
  }[String(payload?.['type'])]
  return typeof said === 'string' ? said.trim() : ''
}

function usedByCodex(info: unknown): Tokens | undefined {
  const { total_token_usage: used } = (info ?? {}) as {
    total_token_usage?: Record<string, unknown>
  }
  if (!used) return undefined
  const cached = count(used['cached_input_tokens'])
  return {
    input: Math.max(0, count(used['input_tokens']) - cached),
    cached,
    cache_creation: 0,
    output: count(used['output_tokens']),
  }
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0

/** The text of a message: a string, or parts of which some are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown } | null) =>
      (part?.type === 'text' || part?.type === 'output_text') && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .filter((text) => text !== '')
    .join('\n')
    .trim()
}

const hasToolCall = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((part: { type?: unknown } | null) => part?.type === 'tool_use')

const cut = (text: string): string => [...text].slice(0, FINDINGS).join('')

/** The whole lines among the last bytes of a file, oldest first. */
async function tail(path: string): Promise<Line[]> {
  const { text, whole } = await readPart(path, (size) => Math.max(0, size - TAIL), TAIL)
  return parse(whole ? text : text.slice(text.indexOf('\n') + 1))
}

async function head(path: string): Promise<Line[]> {
  return parse((await readPart(path, () => 0, HEAD)).text)
}

async function readPart(
  path: string,
  from: (size: number) => number,
  length: number,
): Promise<{ text: string; whole: boolean }> {
  const file = await open(path).catch(() => undefined)
  if (!file) return { text: '', whole: true }
  try {
    const start = from((await file.stat()).size)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, start)
    return { text: buffer.toString('utf8', 0, bytesRead), whole: start === 0 }
  } catch {
    return { text: '', whole: true }
  } finally {
    await file.close()
  }
}

const parse = (text: string): Line[] => text.split('\n').flatMap((line) => parseLine(line) ?? [])

function parseLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Every line of a file, one after the other: a long session's transcript fits in no memory. */
async function* lines(path: string): AsyncGenerator<Line> {
  let rest: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        rest.push(chunk.subarray(from, end))
        size += end - from
        const line =
          size <= LONGEST_LINE ? parseLine(Buffer.concat(rest).toString('utf8')) : undefined
        if (line) yield line
        from = end + 1
        rest = []
        size = 0
      }
      size += chunk.length - from
      // Of a line that is too long nothing is kept but its length.
      rest = size <= LONGEST_LINE ? [...rest, chunk.subarray(from)] : []
    }
  } catch {
    return
  }
  const last = parseLine(Buffer.concat(rest).toString('utf8'))
  if (last) yield last
}
