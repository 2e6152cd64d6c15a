/** One request to a provider, and the kinds of its failures. */
import type { Dispatcher } from 'undici'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { EmbedTrouble } from '../kernel/embedder.ts'
import { unavailable } from '../kernel/refusal.ts'
import type { Provider } from './provider.ts'

/** The most bytes of an answer that are read. */
const MOST_READ = 32 * 1024 * 1024
/** The most dimensions that a row can hold. */
export const MOST_DIMS = 4000

const Vector = Type.Array(Type.Number())
const OPENAI = Compile(
  Type.Object({
    data: Type.Array(Type.Object({ index: Type.Optional(Type.Integer()), embedding: Vector })),
  }),
)
const OLLAMA = Compile(Type.Object({ embeddings: Type.Array(Vector) }))

/** Asks once. Trouble at the far end is a value; a request that cannot be built is a Refusal. */
export async function ask(
  dispatcher: Dispatcher,
  provider: Provider,
  texts: readonly string[],
  { deadlineMs, stop }: { deadlineMs: number; stop: AbortSignal },
): Promise<number[][] | EmbedTrouble> {
  const late = AbortSignal.timeout(deadlineMs)
  const signal = AbortSignal.any([late, stop])
  try {
    const answer = await dispatcher.request({
      origin: provider.url.origin,
      path: provider.url.pathname + provider.url.search,
      method: 'POST',
      headers: headersOf(provider),
      body: JSON.stringify(bodyOf(provider, texts)),
      signal,
    })
    if (answer.statusCode !== 200) {
      await answer.body.dump({ limit: 64 * 1024 }).catch(() => {})
      return refusedWith(provider, answer.statusCode, answer.headers['retry-after'])
    }
    const text = await readAll(answer.body)
    if (text === undefined) return malformed('more than 32 MiB')
    return vectorsOf(provider, texts.length, text)
  } catch (error) {
    return troubleOf(error, { deadlineMs, late, stop })
  }
}

function headersOf({ key }: Provider): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return key === '' ? headers : { ...headers, authorization: `Bearer ${key}` }
}

function bodyOf({ protocol, model, dims }: Provider, texts: readonly string[]): object {
  const body = { model, input: texts }
  return protocol === 'openai' && dims > 0 ? { ...body, dimensions: dims } : body
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > MOST_READ) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const malformed = (what: string): EmbedTrouble => ({
  kind: 'malformed',
  cause: `the embedding provider answers with ${what}`,
})

/** The answer's vectors in the order of the texts, each of length 1. */
function vectorsOf(
  { protocol, dims }: Provider,
  count: number,
  text: string,
): number[][] | EmbedTrouble {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return malformed('something that is not JSON')
  }
  const vectors = protocol === 'openai' ? openaiVectors(answer) : ollamaVectors(answer)
  if (!vectors) return malformed('JSON that holds no vectors')
  if (vectors.length !== count) {
    return malformed(`${vectors.length} vectors for ${count} texts`)
  }
  const length = vectors[0]?.length ?? 0
  if (vectors.some((vector) => vector.length !== length)) {
    return malformed('vectors of different lengths')
  }
  if (length === 0) return malformed('empty vectors')
  if (dims > 0 && length !== dims) return wrongDims(length, `instead of the ${dims} configured`)
  if (length > MOST_DIMS) {
    return wrongDims(length, `and at most ${MOST_DIMS} can be kept: set embeddings.dims`)
  }
  return vectors.map(unit)
}

export const wrongDims = (length: number, rest: string): EmbedTrouble => ({
  kind: 'dimensions',
  cause: `the embedding provider gives vectors of ${length} dimensions ${rest}`,
})

function openaiVectors(answer: unknown): number[][] | undefined {
  if (!OPENAI.Check(answer)) return undefined
  return answer.data
    .map(({ index, embedding }, place) => ({ index: index ?? place, embedding }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => embedding)
}

const ollamaVectors = (answer: unknown): number[][] | undefined =>
  OLLAMA.Check(answer) ? answer.embeddings : undefined

/** A vector of length 0 stays as it is: it is near to nothing. */
function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((part) => part / length) : vector
}

function refusedWith(
  { model, url }: Provider,
  status: number,
  after: string | string[] | undefined,
): EmbedTrouble {
  const subject = 'the embedding provider'
  const wait = retryAfterMs(after)
  const later = wait !== undefined && { retryAfterMs: wait }
  if (status === 401 || status === 403) {
    return { kind: 'auth', cause: `${subject} refuses the key (status ${status})` }
  }
  if (status === 429) {
    return { kind: 'throttled', cause: `${subject} asks for fewer requests (status 429)`, ...later }
  }
  if (status === 404) {
    const what = `the model "${model}" or the path ${url.pathname}`
    return { kind: 'unavailable', cause: `${subject} does not know ${what} (status 404)` }
  }
  if (status === 400 || status === 413 || status === 422) {
    return { kind: 'refused', cause: `${subject} refuses the request (status ${status})` }
  }
  return { kind: 'unavailable', cause: `${subject} is in trouble (status ${status})`, ...later }
}

/** Seconds or an HTTP date, in milliseconds from now. */
export function retryAfterMs(after: string | string[] | undefined): number | undefined {
  const text = Array.isArray(after) ? after[0] : after
  if (text === undefined) return undefined
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

const CONNECTION: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'has a host name without an address',
  EAI_AGAIN: 'has a host name that cannot be looked up now',
  ECONNRESET: 'ends connections',
  EPIPE: 'ends connections',
  UND_ERR_SOCKET: 'ends connections',
  UND_ERR_CONNECT_TIMEOUT: 'does not accept connections in time',
}

function troubleOf(
  error: unknown,
  { deadlineMs, late, stop }: { deadlineMs: number; late: AbortSignal; stop: AbortSignal },
): EmbedTrouble {
  if (stop.aborted) return { kind: 'off', cause: 'the service is stopping' }
  if (late.aborted) {
    return {
      kind: 'slow',
      cause: `the embedding provider did not answer within ${seconds(deadlineMs)}`,
    }
  }
  const code = codeOf(error)
  if (/^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)$/.test(code) || error instanceof TypeError) {
    throw unavailable('embeddings are misconfigured: no request can be made of embeddings.*', error)
  }
  const words =
    CONNECTION[code] ??
    (/CERT|TLS|SSL|ALTNAME|UNABLE_TO/.test(code)
      ? 'has a certificate that is not trusted'
      : 'cannot be reached')
  return { kind: 'unreachable', cause: `the embedding provider ${words}` }
}

const seconds = (ms: number): string => `${ms / 1000} s`

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string' && code !== '') return code
  return errors?.length ? codeOf(errors[0]) : ''
}
