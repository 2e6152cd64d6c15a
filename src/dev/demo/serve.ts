/** Serves a demo store on its own port, until it is stopped. */
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { buildApp, type App } from '../../app.ts'
import { splitAddress } from '../../config/forms.ts'
import type { Config } from '../../config.ts'

export interface Served {
  house: App
  /** Without a slash at its end. */
  url: string
}

export async function serve(config: Config, log: Logger): Promise<Served> {
  const house = await buildApp(config, { log })
  const { host, port } = splitAddress(config.addr)
  try {
    await house.app.listen({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) })
  } catch (error) {
    await house.close()
    throw error
  }
  await house.caughtUp
  const { port: taken } = house.app.server.address() as AddressInfo
  return { house, url: `http://${host}:${taken}` }
}
