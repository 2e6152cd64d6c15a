/**
 * What a client's hook may tell. Everything is optional and nothing is trusted: a field that is missing
 * or of another kind counts as empty, and fields that are not listed are passed over. docs/hooks.md is
 * written from here.
 */
import Type, { type Static } from 'typebox'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** As the clients send it on their own. */
const TOLD = {
  session_id: text('the client’s own id of the session; of the parent, for a subagent'),
  cwd: text('where the agent works'),
  source: text('why the session starts: startup, resume, clear or compact'),
  model: text('the model, as its provider spells it'),
  reason: text('why the session ends'),
  prompt: text('what the user sent'),
  user_prompt: text('the same, as some versions call it'),
  agent_id: text('the client’s id of the subagent'),
  agent_type: text('its kind; at a session’s start: the session is that of a subagent'),
  permission_mode: text('`plan` while the client plans'),
  last_assistant_message: text('the last words of the agent'),
  tool_name: text('the tool that was used'),
  tool_input: Type.Unknown({ description: 'what it was given' }),
  tool_response: Type.Unknown({ description: 'what it answered' }),
}

/** What only the agent’s machine knows. `loam hook` adds it; the service never reads a client’s disk. */
const EXTRACTED = {
  repo: text('the git remote of the repository around `cwd`'),
  repo_root: text('its main checkout'),
  git_head: text('the commit checked out there, in hexadecimal'),
  plan_file_text: text('the whole text of the plan’s file'),
  spawn_prompt: text('what a subagent was asked'),
  report: text('what a subagent answered at its end'),
  findings: text('the last words of the main thread, for a session that told no findings itself'),
}

/** As numbers of the whole session so far. */
export const TOKENS = {
  input: count('not served from a cache'),
  cached: count('served from a cache'),
  cache_creation: count('written to a cache'),
  output: count('generated'),
}

export const FIELDS = { told: TOLD, extracted: EXTRACTED }

const SHAPE = { ...TOLD, ...EXTRACTED }

type Tokens = { [Name in keyof typeof TOKENS]?: number }

/** A payload as it was understood: texts are storable, '' stands for nothing. */
export type Payload = {
  [Name in keyof typeof SHAPE]: Static<(typeof SHAPE)[Name]>
} & { tokens?: Tokens }

/** Names and places past this are none, in characters. */
const LONGEST_NAME = 4_096
const LONG = new Set([
  'prompt',
  'user_prompt',
  'last_assistant_message',
  'plan_file_text',
  'spawn_prompt',
  'report',
  'findings',
])

/** Understands what can be understood of a body. Never throws. */
export function readPayload(body: unknown): Payload {
  const sent = asObject(Buffer.isBuffer(body) ? parse(body) : body)
  const read = Object.keys(SHAPE).map((name) => {
    const value = sent[name]
    if (name === 'tool_input' || name === 'tool_response') return [name, value]
    return [name, LONG.has(name) ? textOf(value) : nameOf(value)]
  })
  const tokens = tokensOf(sent['tokens'])
  return { ...Object.fromEntries(read), ...(tokens && { tokens }) } as Payload
}

/** A text inside what a tool was given or has answered; '' when there is none. */
export const textIn = (value: unknown, name: string): string => textOf(asObject(value)[name])

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\u{fffd}') : ''

/** Names and places: without blanks around them, and only as long as such a thing can be. */
function nameOf(value: unknown): string {
  const name = textOf(value).trim()
  return name.length > LONGEST_NAME ? '' : name
}

function tokensOf(value: unknown): Tokens | undefined {
  const sent = asObject(value)
  const known = Object.keys(TOKENS).filter(
    (name) => Number.isSafeInteger(sent[name]) && (sent[name] as number) >= 0,
  )
  if (known.length === 0) return undefined
  return Object.fromEntries(known.map((name) => [name, sent[name]])) as Tokens
}
