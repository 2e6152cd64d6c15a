/** A provider of a model, asked over HTTP: one request, what is wrong with it, and the wait before another. */
import type { Agent, Dispatcher } from 'undici'
import { unavailable } from './refusal.ts'

/** Where the trouble lies: `refused` in what was sent, everything else at the provider or on the way to it. */
export type ProviderTroubleKind =
  'off' | 'unreachable' | 'slow' | 'auth' | 'throttled' | 'unavailable' | 'malformed' | 'refused'

export interface ProviderTrouble {
  kind: ProviderTroubleKind
  /** One sentence without the key and without anything the provider wrote. */
  cause: string
  /** How long the provider wants to be left alone. */
  retryAfterMs?: number
}

/** What is asked, and how it is called in words for people. */
export interface Asked {
  /** "the embedding provider". */
  subject: string
  /** Said of a request that cannot be built. */
  misconfigured: string
  url: URL
  model: string
}

/** When a request is over, answered or not. */
export interface Until {
  late: AbortSignal
  /** After so long `late` is aborted. */
  deadlineMs: number
  /** The service stops. */
  stop: AbortSignal
}

/** A status other than 200. What the provider wrote beside it is read by nobody. */
export interface Turned {
  status: number
  retryAfterMs?: number
}

/** The connections to a provider. */
export interface Line {
  /** Made when they are asked for first: most stores have no provider, and what makes them takes long to read. */
  dispatcher(): Promise<Dispatcher>
  close(): Promise<void>
}

/** A provider may run on this machine: the guard of captured pages does not apply. */
export function openLine(): Line {
  let agent: Promise<Agent> | undefined
  const make = async (): Promise<Agent> => {
    const { Agent } = await import('./agent.ts')
    return new Agent({ connections: 4, connect: { timeout: 10_000 } })
  }
  return {
    dispatcher: () => (agent ??= make()),
    close: async () => (await agent)?.destroy(),
  }
}

/** The most bytes of an answer that are read. */
const MOST_READ = 32 * 1024 * 1024

/**
 * Posts JSON once and returns the text of the answer. No redirect is followed: what is sent belongs to one
 * address. Trouble on the way is a value; a request that cannot be built is a Refusal.
 */
export async function post(
  dispatcher: Dispatcher,
  asked: Asked,
  { headers, body }: { headers: Record<string, string>; body: object },
  until: Until,
): Promise<{ text: string } | Turned | ProviderTrouble> {
  const { url } = asked
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([until.late, until.stop]),
    })
    if (answer.statusCode !== 200) {
      await answer.body.dump({ limit: 64 * 1024 }).catch(() => {})
      const wish = retryAfterMs(answer.headers['retry-after'])
      return { status: answer.statusCode, ...(wish !== undefined && { retryAfterMs: wish }) }
    }
    const text = await readAll(answer.body)
    return text === undefined ? malformed(asked, 'more than 32 MiB') : { text }
  } catch (error) {
    return troubleOf(error, asked, until)
  }
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

/** The trouble that an answer is which nobody can use. */
export const malformed = ({ subject }: Pick<Asked, 'subject'>, what: string): ProviderTrouble => ({
  kind: 'malformed',
  cause: `${subject} answers with ${what}`,
})

/** The trouble that a status tells. */
export function refusedWith(
  { subject, model, url }: Asked,
  { status, ...later }: Turned,
): ProviderTrouble {
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

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/**
 * How long to wait after the nth attempt: as the provider wishes, else twice as long each time, half of it by
 * chance. Undefined: the wish is longer than a caller waits.
 */
export function pauseMsAfter(nth: number, wishMs: number | undefined): number | undefined {
  if (wishMs !== undefined) return wishMs <= LONGEST_PAUSE_MS ? wishMs : undefined
  const mostMs = Math.min(FIRST_PAUSE_MS * 2 ** (nth - 1), LONGEST_PAUSE_MS)
  return mostMs / 2 + (Math.random() * mostMs) / 2
}

/** The address of a path below a base, or null when the base is no address of the web. */
export function endpointOf(base: string, path: string): URL | null {
  const url = URL.parse(base)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return null
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url
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
  { subject, misconfigured }: Asked,
  { late, deadlineMs, stop }: Until,
): ProviderTrouble {
  if (stop.aborted) return { kind: 'off', cause: 'the service is stopping' }
  if (late.aborted) {
    return { kind: 'slow', cause: `${subject} did not answer within ${deadlineMs / 1000} s` }
  }
  const code = codeOf(error)
  if (/^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)$/.test(code) || error instanceof TypeError) {
    throw unavailable(misconfigured, error)
  }
  const words =
    CONNECTION[code] ??
    (/CERT|TLS|SSL|ALTNAME|UNABLE_TO/.test(code)
      ? 'has a certificate that is not trusted'
      : 'cannot be reached')
  return { kind: 'unreachable', cause: `${subject} ${words}` }
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string' && code !== '') return code
  return errors?.length ? codeOf(errors[0]) : ''
}
