/** The one key of the service. Every route needs it, except those with `open`. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { httpError } from './errors.ts'
import { WrongKeys } from './wrong-keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers without a key. By default it needs the bearer. */
    open?: boolean
  }
}

/** A part of the service that has a credential of its own beside the bearer. */
export interface Gate {
  /** Every address below it is behind this gate. */
  prefix: string
  /** Whether the request carries the gate's own credential. */
  opens(request: FastifyRequest): boolean
  /** Answers a caller without any credential, or throws what to answer. */
  turnAway(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** Returns whether the text is the key. The comparison of digests hides length and prefix from a clock. */
export function isKey(key: string, sent: string): boolean {
  return key !== '' && timingSafeEqual(digest(key), digest(sent))
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Returns the text after `Bearer ` in the header, untrimmed; undefined without such a header. */
export function bearerOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { authorization = '' } = headers
  const space = authorization.indexOf(' ')
  if (authorization.slice(0, space).toLowerCase() !== 'bearer') return undefined
  return authorization.slice(space + 1)
}

/**
 * The root hook: it answers 401 before any body is read, for unknown routes too.
 *
 * It limits wrong keys (429 + Retry-After). It never refuses the right key, however many wrong ones
 * came before.
 */
export function requireKey(
  app: FastifyInstance,
  key: string,
  {
    wrongKeys = new WrongKeys(),
    gates = [],
  }: { wrongKeys?: WrongKeys; gates?: readonly Gate[] } = {},
): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open === true) return
    const sent = bearerOf(request)
    if (sent !== undefined && isKey(key, sent)) return
    const gate = gates.find(({ prefix }) => isBelow(prefix, request.url))
    if (sent === undefined && gate)
      return gate.opens(request) ? undefined : gate.turnAway(request, reply)
    const waitSeconds = sent === undefined ? 0 : wrongKeys.count(request.ip)
    if (waitSeconds > 0) {
      throw httpError(429, `too many wrong keys; try again in ${waitSeconds} s`, {
        'Retry-After': String(waitSeconds),
      })
    }
    throw httpError(401, 'unauthorized: send the key as "Authorization: Bearer <key>"', {
      'WWW-Authenticate': 'Bearer',
    })
  })
}

/** Returns whether an address is the prefix or below it. `/consoles` is not below `/console`. */
function isBelow(prefix: string, url: string): boolean {
  const next = url.charAt(prefix.length)
  return url.startsWith(prefix) && (next === '' || next === '/' || next === '?')
}
