import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Lets the app close while clients hold connections on which they have not asked anything yet.
 *
 * Node counts only those as idle that have had a request; pooling clients open one ahead, and a
 * close would wait for it as long as the client likes.
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
