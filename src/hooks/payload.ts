/**
 * The fields of a hook's payload. Everything is optional and nothing is trusted: a field that is missing
 * or does not fit its schema counts as empty, and fields that are not listed are ignored. docs/hooks.md
 * is generated from this file.
 */
import Type, { type Static, type TSchema } from 'typebox'
import * as bounds from '../kernel/schema/bounds.ts'
import { fits } from '../kernel/schema/fits.ts'
import { isObject, type Shape, type Values } from '../kernel/schema/shape.ts'
import { storable } from '../kernel/schema/storable.ts'
import { CLIENTS } from './clients.ts'

const text = (description: string) => bounds.text({ description })
/** Names and places: none is longer than this, and the spaces around one are not part of it. */
const LONGEST_NAME = 4_096
const name = (description: string) => Type.String({ description, maxLength: LONGEST_NAME })
const count = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** The fields that clients send. */
const SENT = {
  session_id: name('the client’s own id of the session; of the parent, for a subagent'),
  cwd: name('where the agent works'),
  source: name('why the session starts: startup, resume, clear or compact'),
  model: name('the model, as its provider spells it'),
  reason: name('why the session ends'),
  prompt: text('the prompt of the user'),
  user_prompt: text('the name of `prompt` in some versions'),
  agent_id: name('the client’s id of the subagent'),
  agent_type: name('the kind of the subagent; at a session’s start: a subagent owns the session'),
  permission_mode: name('`plan` while the client plans'),
  last_assistant_message: text('the last words of the agent'),
  tool_name: name('the name of the tool'),
  // Nothing is taken of these but single texts, by `textIn`.
  tool_input: Type.Unknown({ description: 'the arguments of the tool' }),
  tool_response: Type.Unknown({ description: 'the answer of the tool' }),
}

/** The fields that `loam hook` adds on the agent’s machine: the service never reads a client’s disk. */
const EXTRACTED = {
  repo: name('the git remote of the repository around `cwd`'),
  repo_root: name('the main checkout of that repository'),
  git_head: name('the checked out commit, in hexadecimal'),
  plan_file_text: text('the whole text of the plan’s file'),
  spawn_prompt: text('the prompt of a subagent'),
  report: text('the last answer of a subagent'),
  findings: text('the last words of the main thread, for a session without findings of its own'),
  process: Type.String({
    description: 'the key of the client’s process: 32 lower-case hexadecimal digits',
    pattern: '^[0-9a-f]{32}$',
  }),
}

/** A client’s session whose process no longer runs. */
const GONE = Type.Object({
  client: Type.Enum(CLIENTS, { type: 'string', description: 'as in `?client=`' }),
  session_id: Type.String({
    description: 'the client’s own id of the session',
    minLength: 1,
    maxLength: LONGEST_NAME,
  }),
  process: Type.Optional(
    Type.String({
      description: 'the key of that process; a session that runs in another meanwhile goes on',
      pattern: '^[0-9a-f]{32}$',
    }),
  ),
})
/** More are reported another time. */
export const MOST_GONE = 50

/** A body of more values counts as empty: a value takes as long to parse as a thousand characters of a text. */
export const MOST_VALUES = 100_000
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{')

/** Token counts of the whole session so far. */
export const TOKENS = {
  input: count('not served from a cache'),
  cached: count('served from a cache'),
  cache_creation: count('written to a cache'),
  output: count('generated'),
}

export const FIELDS = { sent: SENT, extracted: EXTRACTED, gone: GONE.properties }

const SHAPE = { ...SENT, ...EXTRACTED }

type Tokens = { [Name in keyof typeof TOKENS]?: number }

/** A payload with the fields that fit: its texts can be stored, and '' means no value. */
export type Payload = {
  [Name in keyof typeof SHAPE]: Static<(typeof SHAPE)[Name]>
} & { tokens?: Tokens; gone: Static<typeof GONE>[] }

/** Returns the fields of a body that fit. Never throws. */
export function readPayload(body: unknown): Payload {
  const sent = objectIn(Buffer.isBuffer(body) ? parse(body) : body)
  const fields = Object.entries(SHAPE).map(([name, schema]) => [
    name,
    readField(schema, sent[name]),
  ])
  const tokens = readTokens(sent['tokens'])
  const gone = readGone(sent['gone'])
  return { ...Object.fromEntries(fields), ...(tokens && { tokens }), gone } as Payload
}

/** Returns a text in the arguments or the answer of a tool, and '' when there is none. The body bounds it. */
export function textIn(value: unknown, name: string): string {
  const text = objectIn(value)[name]
  return typeof text === 'string' ? storable(text) : ''
}

function parse(body: Buffer): unknown {
  if (isOfMany(body)) return undefined
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** Whether the JSON has more values than are read, in objects and lists of any depth. */
function isOfMany(json: Buffer): boolean {
  let values = 0
  let isText = false
  for (let at = 0; at < json.length && values <= MOST_VALUES; at++) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values++
  }
  return values > MOST_VALUES
}

const objectIn = (value: unknown): Values => (isObject(value) ? value : {})

const readText = (sent: unknown): string => (typeof sent === 'string' ? storable(sent) : '')

function readField(schema: TSchema, sent: unknown): unknown {
  const { type, maxLength = 0 } = schema as Shape
  if (type !== 'string') return sent
  const text = maxLength > LONGEST_NAME ? readText(sent) : readText(sent).trim()
  return fits(schema, text) ? text : ''
}

/** The reports that fit; the first 50 of them. */
function readGone(sent: unknown): Payload['gone'] {
  if (!Array.isArray(sent)) return []
  const read = sent.slice(0, 20 * MOST_GONE).map((each) => {
    const { client, session_id, process } = objectIn(each)
    return {
      client,
      session_id: readText(session_id).trim(),
      ...(process !== undefined && { process }),
    }
  })
  return read.filter((each) => fits(GONE, each)).slice(0, MOST_GONE)
}

function readTokens(value: unknown): Tokens | undefined {
  const sent = objectIn(value)
  const known = Object.entries(TOKENS).filter(([name, schema]) => fits(schema, sent[name]))
  if (known.length === 0) return undefined
  return Object.fromEntries(known.map(([name]) => [name, sent[name]])) as Tokens
}
