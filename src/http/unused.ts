import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Lets the app close while clients hold connections without a request.
 *
 * Node counts a connection as idle only after its first request. Pooling clients open one ahead, and a
 * close would wait for as long as the client keeps it.
 */
export function dropUnusedConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}
