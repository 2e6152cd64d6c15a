/**
 * Fetches a page from another host, or throws a Refusal.
 *
 * This file judges every hop anew: it parses the address, resolves the name, judges every answer, and
 * connects to a judged address itself. It resolves no name twice, so a name that changes its answer
 * gains nothing.
 */
import { isIP, type Socket } from 'node:net'
import { MIMEType } from 'node:util'
import { Client, type buildConnector, type Dispatcher } from 'undici'
import type { Kernel } from '../kernel/kernel.ts'
import type { Network } from '../kernel/network.ts'
import { forbidden, invalid, Refusal, unavailable } from '../kernel/refusal.ts'
import { publicAddress } from './addresses.ts'
import { ENCODINGS, readBody, UnknownEncoding, type Body } from './body.ts'
import { dial } from './dial.ts'
import { hostOf, isWeb, judgeUrl, NOT_WEB, portOf, PRIVATE } from './target.ts'

/** The time of all hops and the body together. */
const TOTAL_MS = 15_000
const MAX_REDIRECTS = 10
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface Page extends Body {
  /** The address after all redirects, which the links are relative to. */
  url: URL
  /** The service extracts text from markup, and keeps other text as it is. */
  kind: 'html' | 'text'
  /** The encoding that the answer names. */
  charset: string | null
}

type Ways = Pick<Network, 'resolve' | 'connect'>

/** Fetches the page. Throws a Refusal that never shows a resolved address. */
export async function fetchPage(
  { config, network, log }: Pick<Kernel, 'config' | 'network' | 'log'>,
  first: URL,
  { userAgent, stop }: { userAgent: string; stop: AbortSignal },
): Promise<Page> {
  const late = AbortSignal.timeout(TOTAL_MS)
  const signal = AbortSignal.any([late, stop])
  let url = first
  let hop = 0
  for (;;) {
    try {
      judgeUrl(url, config.capture)
      const found = await visit(network, url, userAgent, signal)
      if (!('location' in found)) return { ...found, url }
      if (hop++ === MAX_REDIRECTS) throw failed('too many redirects')
      url = follow(url, found.location)
    } catch (error) {
      log.debug({ err: error, host: url.host, hop }, 'a page was not captured')
      if (stop.aborted) throw unavailable('the service is stopping; try again')
      throw worded(error, late.aborted, hop)
    }
  }
}

/** Makes one hop. Returns the page, or the address of a redirect. */
async function visit(
  network: Ways,
  url: URL,
  userAgent: string,
  signal: AbortSignal,
): Promise<Omit<Page, 'url'> | { location: string }> {
  const addresses = await judgedAddresses(network, url, signal)
  const destination = {
    addresses,
    port: portOf(url),
    host: hostOf(url),
    encrypted: url.protocol === 'https:',
  }
  const client = new Client(url.origin, {
    connect: (_, done) => void handOver(dial(network, destination, signal), done),
    allowH2: false,
    maxHeaderSize: 16 * 1024,
    // The signal holds the only deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const answer = await client.request({
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        'user-agent': userAgent,
        accept: 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5',
        'accept-encoding': ENCODINGS,
      },
      signal,
    })
    return await read(answer)
  } finally {
    await client.destroy()
  }
}

/** Returns every address of the name. All of them are public. */
async function judgedAddresses(network: Ways, url: URL, signal: AbortSignal): Promise<string[]> {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  const found = isIP(host) === 0 ? await sooner(network.resolve(host), signal) : [host]
  const judged = found.map(publicAddress)
  if (judged.includes(null)) throw forbidden(PRIVATE)
  if (judged.length === 0) throw failed('the host name does not resolve')
  return judged as string[]
}

/** Stops waiting for a look-up, which cannot be cancelled. */
function sooner<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = (): void => reject(signal.reason as Error)
  if (signal.aborted) give()
  signal.addEventListener('abort', give, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', give))
}

async function handOver(dialling: Promise<Socket>, done: buildConnector.Callback): Promise<void> {
  const [dialled] = await Promise.allSettled([dialling])
  if (dialled.status === 'fulfilled') done(null, dialled.value)
  else done(dialled.reason as Error, null)
}

async function read({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<Omit<Page, 'url'> | { location: string }> {
  // A body without a reader ends with an error, and nothing else listens for it.
  body.on('error', () => {})
  const location = one(headers['location'])
  if (REDIRECTS.has(statusCode) && location !== '') return { location }
  if (statusCode < 200 || statusCode > 299) throw failed(`status ${statusCode}`)
  const type = readable(one(headers['content-type']))
  return { ...type, ...(await readBody(body, one(headers['content-encoding']))) }
}

/** Returns the first value of a header. */
const one = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header[0] : header) ?? ''

const TEXT = /^text\/|^application\/(?:(?:.+\+)?(?:json|xml|yaml)|toml|javascript|x-ndjson)$/

/** Returns the kind of the content type, and refuses other types than text. No type means a page. */
function readable(contentType: string): Pick<Page, 'kind' | 'charset'> {
  const type = parseType(contentType)
  if (!type) return { kind: 'html', charset: null }
  const charset = type.params.get('charset')
  if (['text/html', 'application/xhtml+xml'].includes(type.essence))
    return { kind: 'html', charset }
  if (TEXT.test(type.essence)) return { kind: 'text', charset }
  throw invalid(
    `URL fetch failed (content type ${type.essence.slice(0, 80)}); only pages and other text are ` +
      'captured: extract its text and keep that with notes_create',
  )
}

function parseType(contentType: string): MIMEType | null {
  try {
    return new MIMEType(contentType)
  } catch {
    return null
  }
}

/** Returns the target of a redirect, without its credentials and its fragment. */
function follow(from: URL, location: string): URL {
  const url = URL.parse(location, from.href)
  if (!url) throw failed('a redirect leads to an invalid URL')
  if (!isWeb(url)) throw forbidden(NOT_WEB)
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw forbidden('URL scheme not allowed; a redirect leads from https to http')
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

const failed = (reason: string): Refusal =>
  unavailable(`URL fetch failed (${reason}); check the address, or try again later`)

const CAUSES: Record<string, string> = {
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name could not be resolved now',
  ECONNREFUSED: 'the host refused the connection',
  ENETUNREACH: 'the host cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
}

/** Returns the failure for the caller: a cause in our words, never an address or the words of a host. */
function worded(error: unknown, late: boolean, hop: number): Refusal {
  const after = hop > 0 ? ` [after ${hop === 1 ? 'a redirect' : `${hop} redirects`}]` : ''
  if (error instanceof Refusal) return new Refusal(error.kind, `${error.message}${after}`)
  return new Refusal('unavailable', `${failed(causeOf(error, late)).message}${after}`)
}

/** Returns the cause of a network failure. Rethrows an error of our own. */
function causeOf(error: unknown, late: boolean): string {
  if (late) return `no answer in ${TOTAL_MS / 1000} seconds`
  if (error instanceof UnknownEncoding) return 'its content encoding is not known'
  const { code = '', name = '' } = error as NodeJS.ErrnoException
  if (name === 'HTTPParserError') return 'what answers there does not speak HTTP'
  if (!code && name !== 'AbortError') throw error
  if (['AbortError', 'TimeoutError'].includes(name)) return 'the host does not answer'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'TLS was not accepted'
  if (/^(Z_|ZSTD_|ERR__ERROR|ERR_BROTLI|ERR_PADDING)/.test(code)) return 'its compression is broken'
  return CAUSES[code] ?? 'the connection broke'
}
