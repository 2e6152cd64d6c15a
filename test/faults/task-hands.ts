/** Agents that divide tasks among themselves, over HTTP, on one service or on several that are one. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { startService, type Service } from '../helpers/service.ts'
import { headersWith, INITIALIZE } from '../helpers/wire.ts'
import { KEY } from './store-process.ts'

/** On a server several processes are one service; the embedded database belongs to one. */
export const PROCESSES = process.env['LOAM_TEST_DATABASE_URL'] ? 3 : 1

export interface Fleet extends AsyncDisposable {
  services: Service[]
  dataDir: string
  /** SIGKILL and a new process at the same address; tells when it was away. */
  kill(n: number): Promise<{ from: number; to: number }>
}

export async function openFleet(folder: string): Promise<Fleet> {
  const env = { LOAM_MCP_API_KEY: KEY, LOAM_LOG_LEVEL: 'warn', LOAM_DATABASE_POOL: '8' }
  const services: Service[] = []
  for (let n = 0; n < PROCESSES; n++) services.push(await startService({ folder, env }))
  return {
    services,
    dataDir: join(folder, 'loam-data'),
    async kill(n) {
      const { host } = new URL(services[n]!.url)
      const from = Date.now()
      await services[n]!.stop('SIGKILL')
      services[n] = await startService({ folder, env: { ...env, LOAM_ADDR: host } })
      return { from, to: Date.now() }
    },
    async [Symbol.asyncDispose]() {
      for (const service of services) await service[Symbol.asyncDispose]()
    },
  }
}

/** What a tool answered: its result, an Error with its words, or undefined when no answer came. */
export type Said = Record<string, any> | Error | undefined

/** An agent with a connection and a session of its own. */
export interface Hand {
  session: string
  /** By any of the processes. */
  call(tool: string, args: object): Promise<Said>
}

const agents = new Agent({ connections: 64, keepAliveTimeout: 10_000 })

/** Comes, however long the service is away. */
export async function openHand(
  fleet: { services: readonly Service[] },
  project: string,
  pick: () => number,
): Promise<Hand> {
  const post = async (id: string | undefined, body: object) => {
    const reply = await request(`${fleet.services[pick()]!.url}/api/mcp`, {
      method: 'POST',
      headers: { ...headersWith(KEY), ...(id && { 'mcp-session-id': id }) },
      body: JSON.stringify(body),
      dispatcher: agents,
    })
    const text = await reply.body.text()
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text.slice(0, 200)}`)
    return { id: reply.headers['mcp-session-id'], body: JSON.parse(text) }
  }
  for (;;) {
    try {
      const { id } = await post(undefined, INITIALIZE)
      const call: Hand['call'] = async (name, args) => {
        const params = { name, arguments: args }
        const ask = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        const reply = await post(String(id), ask).catch(() => undefined)
        const result = reply?.body.result
        if (result === undefined) return undefined
        return result.isError ? new Error(result.content[0].text) : result.structuredContent
      }
      const begun = await call('session_start', { project })
      if (begun !== undefined && !(begun instanceof Error)) {
        return { session: begun['session_id'], call }
      }
    } catch {
      // The service is away.
    }
    await sleep(50)
  }
}
