import { chmod, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Fastify from 'fastify'
import type { App } from '../../../app.ts'
import type { Disk } from '../../../kernel/files.ts'
import { asRefusal } from '../../../kernel/trouble.ts'
import type { OperatorCall } from '../../command.ts'
import { perform } from './perform.ts'
import { socketPath, sweepSockets } from './socket.ts'

/** Carries out the operator's commands of this machine. Whoever may open the socket may use them all. */
export async function serveOperator(
  house: App,
  operationOf: OperatorCall['operationOf'],
): Promise<{ close(): Promise<void> }> {
  const { kernel } = house
  const dataDir = kernel.config.data_dir
  const app = Fastify({ forceCloseConnections: true, requestTimeout: 0, connectionTimeout: 0 })

  app.post<{ Params: { name: string }; Body: object }>('/:name', async (request, reply) => {
    const { name } = request.params
    const operation = await operationOf(name)
    if (!operation) return reply.code(404).send({ error: `no operation ${name}` })
    return perform(operation, house, request.body)
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (!refusal) kernel.log.error({ err: error, url: request.url }, 'operator command failed')
    const message = refusal?.message ?? 'internal error; see the log of the service'
    return reply.code(refusal ? 409 : 500).send({ error: message })
  })

  await sweepSockets(dataDir)
  const path = through(kernel.vault.disk, await socketPath(dataDir, process.pid))
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

/** The same path through the data directory as it was opened: at the end the socket is removed there. */
const through = ({ root, held }: Disk, path: string): string =>
  dirname(path) === held.name ? join(root, basename(path)) : path
