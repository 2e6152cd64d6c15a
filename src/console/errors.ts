/** What the console answers when the answer is no, in the shape that was asked for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { httpError, sayError } from '../http/errors.ts'
import { html, shapeOf } from './page.ts'
import type { Frame } from './frame.ts'

const HEADINGS: Record<number, string> = {
  400: 'That does not work',
  403: 'Not from here',
  404: 'Nothing here',
  409: 'It has changed meanwhile',
  413: 'Too large',
  429: 'Too many tries',
  503: 'Not available',
}

/** Page, fragment or `{ error }`. Of our own bugs nothing is shown; the log has them. */
export function answerConsoleErrors(
  app: FastifyInstance,
  frameOf: (request: FastifyRequest, title: string, section: string) => Promise<Frame>,
): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { status, message, headers, ours } = sayError(error)
    if (ours) request.log.error({ err: error }, 'a page failed')
    void reply.code(status).headers(headers).header('cache-control', 'no-store')
    return answer(request, reply, status, message)
  })
  app.setNotFoundHandler((request) => {
    throw httpError(404, `nothing is served at ${request.url.split('?', 1)[0]}`)
  })

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: string,
  ): Promise<FastifyReply> {
    const shape = shapeOf(request)
    if (shape === 'json' || request.headers.accept?.includes('text/event-stream')) {
      return reply.type('application/json; charset=utf-8').send({ error: message })
    }
    const heading = HEADINGS[status] ?? (status < 500 ? 'That does not work' : 'Something broke')
    const data = { status, heading, message }
    if (shape !== 'page') return html(reply, 'error/peek', data)
    return html(reply, 'error/page', { ...data, frame: await frameOf(request, heading, '') })
  }
}
