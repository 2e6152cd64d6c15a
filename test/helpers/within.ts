import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyInstance } from 'fastify'

/** Brings requests to a service in this process without a socket: for those who make very many. */
export class Within implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  sessionId?: string
  private version?: string
  private readonly app: FastifyInstance
  private readonly headers: Record<string, string>

  constructor(app: FastifyInstance, headers: Record<string, string>) {
    this.app = app
    this.headers = headers
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.version = version
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const answer = await this.app.inject({
      method: 'POST',
      url: '/api/mcp',
      headers: {
        ...this.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.sessionId && { 'mcp-session-id': this.sessionId }),
        ...(this.version && { 'mcp-protocol-version': this.version }),
      },
      payload: JSON.stringify(message),
    })
    const id = answer.headers['mcp-session-id']
    if (typeof id === 'string') this.sessionId = id
    if (answer.payload !== '') this.onmessage?.(answer.json<JSONRPCMessage>())
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}
