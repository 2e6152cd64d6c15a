/**
 * The fields of a hook's payload. Everything is optional and nothing is trusted: a field that is missing
 * or does not fit its schema counts as empty, and fields that are not listed are ignored. docs/hooks.md
 * is generated from this file.
 */
import Type, { type Static, type TSchema } from 'typebox'
import { fits } from '../kernel/schema/fits.ts'
import { isObject, type Shape, type Values } from '../kernel/schema/shape.ts'
import { storable } from '../kernel/schema/storable.ts'

const text = (description: string) => Type.String({ description })
/** Names and places: no such thing is longer, and blanks around it are not part of it. */
const name = (description: string) => Type.String({ description, maxLength: 4_096 })
const count = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** What the clients send on their own. */
const TOLD = {
  session_id: name('the client’s own id of the session; of the parent, for a subagent'),
  cwd: name('where the agent works'),
  source: name('why the session starts: startup, resume, clear or compact'),
  model: name('the model, as its provider spells it'),
  reason: name('why the session ends'),
  prompt: text('what the user sent'),
  user_prompt: text('the same, as some versions call it'),
  agent_id: name('the client’s id of the subagent'),
  agent_type: name('its kind; at a session’s start: the session is that of a subagent'),
  permission_mode: name('`plan` while the client plans'),
  last_assistant_message: text('the last words of the agent'),
  tool_name: name('the tool that was used'),
  tool_input: Type.Unknown({ description: 'what it was given' }),
  tool_response: Type.Unknown({ description: 'what it answered' }),
}

/** What only the agent’s machine knows. `loam hook` adds it: the service never reads a client’s disk. */
const EXTRACTED = {
  repo: name('the git remote of the repository around `cwd`'),
  repo_root: name('its main checkout'),
  git_head: name('the commit checked out there, in hexadecimal'),
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

/** A payload as it was understood: its texts can be stored, and '' stands for nothing. */
export type Payload = {
  [Name in keyof typeof SHAPE]: Static<(typeof SHAPE)[Name]>
} & { tokens?: Tokens }

/** Reads what can be understood of a body. Never throws. */
export function readPayload(body: unknown): Payload {
  const sent = objectIn(Buffer.isBuffer(body) ? parse(body) : body)
  const fields = Object.entries(SHAPE).map(([name, schema]) => [
    name,
    readField(schema, sent[name]),
  ])
  const tokens = readTokens(sent['tokens'])
  return { ...Object.fromEntries(fields), ...(tokens && { tokens }) } as Payload
}

/** A text inside what a tool was given or has answered; '' when there is none. */
export const textIn = (value: unknown, name: string): string => readText(objectIn(value)[name])

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const objectIn = (value: unknown): Values => (isObject(value) ? value : {})

const readText = (sent: unknown): string => (typeof sent === 'string' ? storable(sent) : '')

function readField(schema: TSchema, sent: unknown): unknown {
  const { type, maxLength } = schema as Shape
  if (type !== 'string') return sent
  const text = maxLength === undefined ? readText(sent) : readText(sent).trim()
  return fits(schema, text) ? text : ''
}

function readTokens(value: unknown): Tokens | undefined {
  const sent = objectIn(value)
  const known = Object.entries(TOKENS).filter(([name, schema]) => fits(schema, sent[name]))
  if (known.length === 0) return undefined
  return Object.fromEntries(known.map(([name]) => [name, sent[name]])) as Tokens
}
