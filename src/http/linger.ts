/** The answer to a body that is too large, in a way that its sender can read. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** How much more of a body is read and thrown away: some clients read no answer before they have sent it all. */
const MOST_BYTES = 16 * 1024 * 1024
/** How long the connection then stays open. */
const MOST_MS = 2_000

/**
 * Keeps a connection open for a moment after the answer 413. One that is closed while its client is still
 * sending is reset, and most clients then report a broken connection and never read the answer.
 */
export function lingerOnLargeBodies(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (reply.statusCode !== 413 || typeof payload !== 'string' || raw.complete) return payload
    reply.header('Content-Length', Buffer.byteLength(payload))
    return Readable.from(answerAndWait(raw, payload))
  })
}

async function* answerAndWait(request: IncomingMessage, text: string): AsyncGenerator<string> {
  yield text
  await isOver(request)
}

/** Resolves when the body has ended, its sender has gone, or the time is over. */
function isOver(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MOST_MS).unref()
  const { socket } = request
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // What is not read holds the sender up, so that it has time to read.
    if (bytes > MOST_BYTES) request.pause()
  })
  request.once('end', resolve)
  socket.once('close', resolve)
  if (socket.destroyed || request.complete) resolve()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('close', resolve)
  })
}
