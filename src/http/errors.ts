/** Errors over HTTP: their status, and the words that may be shown. */
import type { FastifyError, FastifyInstance } from 'fastify'
import type { RefusalKind } from '../kernel/refusal.ts'
import { asRefusal } from '../kernel/trouble.ts'

/** An error with its status and headers. */
export interface HttpError extends Error {
  statusCode: number
  headers: Record<string, string>
}

/** Thrown in a hook or a route; each edge gives it the shape that its callers understand. */
export function httpError(
  statusCode: number,
  message: string,
  headers: Record<string, string> = {},
): HttpError {
  return Object.assign(new Error(message), { statusCode, headers })
}

const STATUS: Record<RefusalKind, number> = {
  invalid: 400,
  ambiguous: 400,
  not_found: 404,
  conflict: 409,
  forbidden: 403,
  disabled: 403,
  unavailable: 503,
}

/** What may be shown of an error. `ours`: it is our bug; the log has it, and nothing of it is shown. */
export interface ShownError {
  status: number
  message: string
  headers: Record<string, string>
  ours: boolean
}

export function sayError(error: unknown): ShownError {
  const { statusCode = 500, headers = {}, message } = error as Partial<HttpError>
  const known = statusCode >= 400 && statusCode < 500
  if (known && message)
    return { status: statusCode, message: oneLine(message), headers, ours: false }
  const refusal = asRefusal(error)
  if (refusal) {
    return { status: STATUS[refusal.kind], message: refusal.message, headers: {}, ours: false }
  }
  return { status: 500, message: 'internal error', headers: {}, ours: true }
}

const oneLine = (text: string): string => text.split('\n', 1)[0]!.slice(0, 500)

/** Answers errors with `{ error }` as JSON. Edges whose callers want another shape set their own. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, message, headers, ours } = sayError(error)
    if (ours) request.log.error({ err: error }, 'a request failed')
    return reply.code(status).headers(headers).send({ error: message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }))
}
