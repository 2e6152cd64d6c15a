import { startService, type Service } from '../helpers/service.ts'
import { temporary } from './database-process.ts'
import { emptyDatabase, startServer } from './database-server.ts'
import { KEY } from './feed-instances.ts'

/** Processes that serve one store, on a server of their own or on that of the run. */
export interface Processes extends AsyncDisposable {
  /** Of the database. */
  url: string
  services: Service[]
  /** Starts another one on the same store, in the place of one that was stopped. */
  start(): Promise<Service>
}

export async function openProcesses({
  count,
  full,
  env = {},
}: {
  count: number
  full: boolean
  env?: Record<string, string>
}): Promise<Processes> {
  await using all = new AsyncDisposableStack()
  const folder = all.use(await temporary())
  const server = full ? all.use(await startServer()) : null
  const url = await emptyDatabase(server?.url ?? process.env['LOAM_TEST_DATABASE_URL']!)
  const services: Service[] = []
  all.defer(async () => {
    for (const service of services) await service[Symbol.asyncDispose]()
  })
  const start = (): Promise<Service> =>
    startService({
      folder: folder.path,
      fresh: true,
      env: {
        ...{ LOAM_DATABASE_URL: url, LOAM_DATABASE_POOL: '6', LOAM_MCP_API_KEY: KEY },
        ...env,
      },
    })
  for (let n = 0; n < count; n++) services.push(await start())
  const opened = all.move()
  return { url, services, start, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
