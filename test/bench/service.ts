import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp, type App } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { connect, type Agent } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'

export interface Service extends AsyncDisposable {
  app: App
  url: string
  key: string
  connect(): Promise<Agent>
}

/** The product on a data directory and a port of its own, gone at the end. */
export async function openService(env: Record<string, string> = {}): Promise<Service> {
  const dir = await mkdtemp(join(tmpdir(), 'loam-bench-'))
  const key = randomBytes(16).toString('hex')
  const { config } = await loadConfig({
    env: { HOME: dir, LOAM_DATA_DIR: dir, LOAM_MCP_API_KEY: key, ...env },
    cwd: dir,
  })
  const log = pino({ level: 'silent' })
  const database = await openTestDatabase({ onDisk: dir, log })
  const app = await buildApp(config, { log, database })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const agents: Agent[] = []
  return {
    app,
    url,
    key,
    async connect() {
      const agent = await connect({ url, key })
      agents.push(agent)
      return agent
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(agents.map((agent) => agent.close()))
      await app.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
