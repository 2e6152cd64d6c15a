/** Less on the wire: answers are compressed, and one that the caller has already is not sent again. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageClock } from './clock.ts'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants
/** Less than this fits into one packet as it is. */
const FEWEST_BYTES = 1_200
/** Made for each answer: a fast level. */
const ANSWER_QUALITY = 4

export type Encoding = 'br' | 'gzip'

/** Compresses what pages and JSON answer, and answers 304 where nothing has changed. */
export function answerThriftily(app: FastifyInstance, { now }: PageClock): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isText(reply)) return payload
    if (reply.statusCode === 200 && request.method !== 'POST') {
      const etag = etagOf(payload)
      void reply.header('etag', etag)
      // A script cannot read the headers of the page that it stands in, but it can read this one.
      const told = `etag;desc=${etag.slice(3, -1)}, now;desc=${Math.round(now())}`
      void reply.header('server-timing', told)
      if (isKnown(request, etag)) return unchanged(reply)
    }
    return compressed(request, reply, payload)
  })
}

export const etagOf = (content: string | Buffer): string =>
  `W/"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`

/** Whether the caller says that it has this already. Weak tags are compared by their value. */
export function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? []
  return known.some((each) => plain(each) === plain(etag) || each.trim() === '*')
}

const plain = (etag: string): string => etag.trim().replace(/^W\//, '')

export function unchanged(reply: FastifyReply): null {
  void reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}

async function compressed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<string | Buffer> {
  void reply.header('vary', 'accept, accept-encoding')
  const bytes = Buffer.from(text)
  const encoding = encodingFor(request)
  if (encoding === undefined || bytes.length < FEWEST_BYTES) return text
  void reply.header('content-encoding', encoding).removeHeader('content-length')
  return compress(bytes, encoding, ANSWER_QUALITY)
}

const isText = (reply: FastifyReply): boolean =>
  /^(?:text\/html|application\/json)\b/.test(String(reply.getHeader('content-type')))

/**
 * Returns what the caller takes. A page that another site asks for goes out as it is: a length that depends on
 * what that site put into the address beside the owner's texts would tell it something of those.
 */
export function encodingFor({ headers }: FastifyRequest): Encoding | undefined {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') return undefined
  const taken = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
    .map((each) => each.split(';')[0])
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding))
}

/** Off the event loop. The quality is brotli's, 0 to 11; gzip has its own levels and takes the default. */
export function compress(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes)
  const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT }
  return promisify(brotliCompress)(bytes, { params })
}
