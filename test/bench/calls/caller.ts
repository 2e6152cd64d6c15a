/** An agent that calls tools with as little of its own as HTTP needs: what is measured is the service. */
import { Agent, request } from 'node:http'
import { headersWith, INITIALIZE } from '../../helpers/wire.ts'

type Arguments = Record<string, unknown>

export interface Caller extends Disposable {
  /** Sends one call and returns what it answered. Throws with the words of a tool that failed. */
  call(tool: string, args?: Arguments): Promise<Record<string, any>>
}

/** Opens a connection of its own to an endpoint. */
export async function openCaller(endpoint: string, key: string): Promise<Caller> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port, pathname: path } = new URL(endpoint)
  const headers: Record<string, string> = headersWith(key)
  const post = (message: object): Promise<{ id: string; text: string }> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message)
      const outgoing = request(
        {
          ...{ hostname, port, path, method: 'POST', agent },
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
          incoming.on('end', () => {
            if (incoming.statusCode !== 200) reject(new Error(`${incoming.statusCode}: ${text}`))
            else resolve({ id: String(incoming.headers['mcp-session-id']), text })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  headers['mcp-session-id'] = (await post(INITIALIZE)).id
  let number = 0
  return {
    async call(name, args = {}) {
      const params = { name, arguments: args }
      const { text } = await post({
        ...{ jsonrpc: '2.0', id: ++number, method: 'tools/call', params },
      })
      const { result, error } = JSON.parse(text) as { result?: any; error?: { message: string } }
      if (error || result.isError) throw new Error(error?.message ?? result.content[0].text)
      return result.structuredContent as Record<string, any>
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}
