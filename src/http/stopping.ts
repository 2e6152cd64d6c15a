/** What a client gets from a service that stops: its last answer, or that it may try again. */
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../kernel/refusal.ts'

/** When to come back, in seconds: a start takes some. */
const AGAIN_SECONDS = 3

/**
 * Refuses requests that arrive on connections from before a stop, in the shape of their edge, and closes each
 * connection with its last answer: the service waits for those that stay open. The app must not refuse them itself.
 */
export function refuseWhileStopping(app: FastifyInstance): void {
  let isStopping = false
  app.addHook('preClose', async () => void (isStopping = true))
  app.addHook('onRequest', async ({ routeOptions }, reply) => {
    // It says by itself that the service stops.
    if (!isStopping || routeOptions.url === '/healthz') return
    void reply.header('Retry-After', String(AGAIN_SECONDS))
    throw unavailable(
      'the service is stopping, so this was not carried out; try again in a few seconds',
    )
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) void reply.header('Connection', 'close')
  })
}
