/** The owner's way in: a cookie that is a hash of the key, or the bearer itself. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { bearerOf, isKey, type Gate } from '../../http/auth.ts'
import { httpError } from '../../http/errors.ts'
import { shapeOf } from '../shape.ts'
import { HOME, safeNext } from './next.ts'

/** What opens the console of one store. */
export interface Door {
  readonly key: string
  /** The cookie's name. A browser sends the cookies of a host to all of its ports, so each store has its own. */
  readonly cookie: string
}

export const doorOf = (kernel: Kernel): Door => ({
  key: kernel.config.mcp.api_key,
  // The id of the store is known once that is open, which is later than the routes are laid.
  get cookie() {
    return `loam_console_${kernel.vault.storeId}`
  },
})

const COOKIE_SECONDS = 30 * 24 * 60 * 60

/** Returns what the cookie holds. It is as good as the key, and a new key makes it worthless. */
export const cookieValue = (key: string): string => createHash('sha256').update(key).digest('hex')

export const cookieOptions = ({ base_url }: Config) => ({
  path: '/console',
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: base_url.startsWith('https:'),
  maxAge: COOKIE_SECONDS,
})

/** Whether the request carries the cookie of this key. An empty key lets nobody in. */
export function hasCookie({ key, cookie }: Door, { headers }: FastifyRequest): boolean {
  const sent = cookieOf(headers.cookie ?? '', cookie)
  if (key === '' || sent === undefined) return false
  const [given, wanted] = [sent, cookieValue(key)].map((text) =>
    createHash('sha256').update(text).digest(),
  )
  return timingSafeEqual(given!, wanted!)
}

/** The last cookie counts. The header is read here because no plugin has parsed it yet. */
function cookieOf(header: string, wanted: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.findLast(([name]) => name === wanted)?.[1]
}

/** The gate of the console: the cookie opens it, and a browser without one is sent to the login page. */
export const consoleGate = (door: Door): Gate => ({
  prefix: '/console',
  opens: (request) => hasCookie(door, request) && sameOrigin(request),
  turnAway(request, reply) {
    if (hasCookie(door, request)) {
      throw httpError(403, 'this request comes from another page; open the console and try there')
    }
    if (!isNavigation(request))
      throw httpError(401, 'unauthorized: sign in, or send the key as bearer')
    return toLogin(request, reply)
  },
})

/**
 * Another port of the same host is the same site, so SameSite alone does not keep its pages out: for a
 * write the browser has to say that it comes from this origin.
 */
function sameOrigin({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === headers.host
}

/** A page that somebody opens; not a stream, a fragment or a program, which would not read a form. */
function isNavigation(request: FastifyRequest): boolean {
  const { method, headers } = request
  const accept = headers.accept ?? '*/*'
  const stream = accept.includes('text/event-stream')
  return (
    (method === 'GET' || method === 'HEAD') &&
    !stream &&
    shapeOf(request) === 'page' &&
    !isFetch(headers)
  )
}

/** The browser says what a request is for; a script's fetch is not a navigation. */
const isFetch = (headers: FastifyRequest['headers']): boolean =>
  headers['sec-fetch-dest'] !== undefined && headers['sec-fetch-dest'] !== 'document'

function toLogin({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const next = safeNext(url)
  const query = next === HOME ? '' : `?${new URLSearchParams({ next }).toString()}`
  return reply.header('cache-control', 'no-store').redirect(`/console/login${query}`, 303)
}

/** Whether the request carries a credential of the owner, wherever it comes from. */
export function isOwner(door: Door, request: FastifyRequest): boolean {
  const sent = bearerOf(request)
  return sent === undefined ? hasCookie(door, request) : isKey(door.key, sent)
}
