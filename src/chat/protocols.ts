/** How each provider is asked, and where its answer holds the text. */
import Type, { type TSchema, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Prompt } from '../kernel/chat.ts'

export type ProtocolName = 'openai' | 'ollama' | 'anthropic'

/** What a model said. */
interface Said {
  text: string
  /** It ended where it had no tokens left, and not where the model was done. */
  isCut: boolean
}

interface Protocol {
  /** The base of the provider's own address. */
  home: string
  /** Below the base. */
  path: string
  /** Whether its own address wants a key. */
  keyed: boolean
  headers(key: string): Record<string, string>
  body(model: string, prompt: Prompt): object
  /** Undefined: the answer is none of this protocol. */
  read(answer: unknown): Said | undefined
}

/** Tokens of an answer. With some models this counts what they think, too. */
export const MOST_TOKENS = 4096

const messages = ({ system, user }: Prompt) => [
  { role: 'system', content: system },
  { role: 'user', content: user },
]

const reader = <Schema extends TSchema>(
  schema: Schema,
  read: (answer: Static<Schema>) => Said | undefined,
): Protocol['read'] => {
  const validator = Compile(schema)
  return (answer) => (validator.Check(answer) ? read(answer as Static<Schema>) : undefined)
}

const Text = Type.Union([Type.String(), Type.Null()])
const Reason = Type.Optional(Text)

/** OpenAI, and the many servers that speak its protocol. */
const openai: Protocol = {
  home: 'https://api.openai.com/v1',
  path: 'chat/completions',
  keyed: true,
  headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: (model, prompt) => ({
    model,
    max_completion_tokens: MOST_TOKENS,
    messages: messages(prompt),
  }),
  read: reader(
    Type.Object({
      choices: Type.Array(
        Type.Object({
          message: Type.Object({ content: Type.Optional(Text) }),
          finish_reason: Reason,
        }),
        { minItems: 1 },
      ),
    }),
    ({ choices: [first] }) =>
      first && { text: first.message.content ?? '', isCut: first.finish_reason === 'length' },
  ),
}

const ollama: Protocol = {
  home: 'http://127.0.0.1:11434',
  path: 'api/chat',
  keyed: false,
  headers: () => ({}),
  body: (model, prompt) => ({
    model,
    stream: false,
    options: { num_predict: MOST_TOKENS, num_ctx: contextFor(prompt) },
    messages: messages(prompt),
  }),
  read: reader(
    Type.Object({ message: Type.Object({ content: Type.String() }), done_reason: Reason }),
    ({ message, done_reason }) => ({ text: message.content, isCut: done_reason === 'length' }),
  ),
}

const SMALLEST_CONTEXT = 8192
const BYTES_OF_A_TOKEN = 3

/** Ollama drops the beginning of what does not fit into its context, and tells nobody. A power of two. */
function contextFor({ system, user }: Prompt): number {
  const asked = Math.ceil(Buffer.byteLength(system + user) / BYTES_OF_A_TOKEN)
  return Math.max(SMALLEST_CONTEXT, 2 ** Math.ceil(Math.log2(asked + MOST_TOKENS)))
}

const anthropic: Protocol = {
  home: 'https://api.anthropic.com',
  path: 'v1/messages',
  keyed: true,
  headers: (key) => ({
    'anthropic-version': '2023-06-01',
    ...(key !== '' && { 'x-api-key': key }),
  }),
  body: (model, { system, user }) => ({
    model,
    max_tokens: MOST_TOKENS,
    system,
    messages: [{ role: 'user', content: user }],
  }),
  read: reader(
    Type.Object({
      content: Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Text) })),
      stop_reason: Reason,
    }),
    ({ content, stop_reason }) => ({
      text: content.find(({ type }) => type === 'text')?.text ?? '',
      isCut: stop_reason === 'max_tokens',
    }),
  ),
}

export const PROTOCOLS: Record<ProtocolName, Protocol> = { openai, ollama, anthropic }
