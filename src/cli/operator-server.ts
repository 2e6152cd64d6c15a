import { chmod, unlink } from 'node:fs/promises'
import Fastify from 'fastify'
import type { App } from '../app.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { isOperation, OPERATIONS } from './operations.ts'
import { socketPath, sweepSockets } from './socket.ts'

/** Serves the operator's commands of this machine. Who may open the socket may do all of it. */
export async function serveOperator(house: App): Promise<{ close(): Promise<void> }> {
  const { kernel } = house
  const dataDir = kernel.config.data_dir
  const app = Fastify({ forceCloseConnections: true, requestTimeout: 0, connectionTimeout: 0 })

  app.post<{ Params: { name: string }; Body: object }>('/:name', async (request, reply) => {
    const { name } = request.params
    if (!isOperation(name)) return reply.code(404).send({ error: `no operation ${name}` })
    return OPERATIONS[name](house, request.body)
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (!refusal) kernel.log.error({ err: error, url: request.url }, 'operator command failed')
    const message = refusal?.message ?? 'internal error; see the log of the service'
    return reply.code(refusal ? 409 : 500).send({ error: message })
  })

  await sweepSockets(dataDir)
  const path = await socketPath(dataDir, process.pid)
  const before = process.umask(0o077)
  try {
    await app.listen({ path })
  } finally {
    process.umask(before)
  }
  await chmod(path, 0o600)
  return {
    async close() {
      await app.close()
      await unlink(path).catch(() => {})
    },
  }
}
