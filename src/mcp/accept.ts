/** What the endpoint asks of a request's headers before anything else is looked at. */
import type { FastifyRequest } from 'fastify'
import { httpError } from '../http/errors.ts'
import { namesStateless } from './envelope.ts'

export async function checkTypes(request: FastifyRequest): Promise<void> {
  if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
    throw httpError(406, 'Accept must list application/json and text/event-stream')
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/json') {
    throw httpError(415, 'Content-Type must be application/json')
  }
}

export function accepts({ headers }: FastifyRequest, wanted: string): boolean {
  const [kind] = wanted.split('/')
  const ranges = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]!.trim())
  return ranges.some((range) => ['*/*', `${kind}/*`, wanted].includes(range.toLowerCase()))
}

/** Streams and their end belong to connections. */
export async function onlyWithSessions({ headers }: FastifyRequest): Promise<void> {
  if (!namesStateless(headers)) return
  throw httpError(405, 'without sessions there is only POST', { Allow: 'POST' })
}

/** Ignores the body of a DELETE, whatever its type. */
export async function ignoreBody({ raw }: FastifyRequest): Promise<void> {
  delete raw.headers['content-type']
  delete raw.headers['content-length']
  delete raw.headers['transfer-encoding']
  raw.resume()
}
