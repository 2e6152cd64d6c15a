/** The answer to one request, as it goes over HTTP. */
import type { FastifyReply } from 'fastify'

export type Id = string | number | null

/** What a request is answered with, but for its id. */
export type Answer =
  { result: object } | { error: { code: number; message: string; data?: unknown } }

export const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function sendAnswer(reply: FastifyReply, id: Id, answer: Answer): FastifyReply {
  return reply
    .header('Content-Type', 'application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
}

/** Plain JSON, or a stream of messages when something is sent before the answer. */
export class ReplyStream {
  readonly #reply: FastifyReply
  #isStreaming = false

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  /** Sets a header of the answer. Without effect once something was sent. */
  header(name: string, value: string): void {
    this.#reply.header(name, value)
  }

  /** Sends a notification, or a request to the client, before the answer. */
  send(message: object): void {
    const { raw } = this.#reply
    if (!this.#isStreaming) {
      this.#isStreaming = true
      this.#reply.hijack()
      raw.writeHead(200, EVENT_STREAM)
    }
    raw.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }

  end(id: Id, answer: Answer): FastifyReply {
    if (!this.#isStreaming) return sendAnswer(this.#reply, id, answer)
    this.send({ id, ...answer })
    this.#reply.raw.end()
    return this.#reply
  }
}
