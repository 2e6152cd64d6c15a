import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

/** What a request is answered with, but for its id. */
export type Answer =
  { result: object } | { error: { code: number; message: string; data?: unknown } }

interface Waiting<Context> {
  context: Context
  resolve(answer: Answer): void
}

/**
 * The SDK's server at the other end of a wire that many connections share.
 *
 * Each request gets an id of its own here, so that equal ids of two clients never meet, and carries
 * what its handler must know beside the message. Holds nothing of a request once it is answered.
 */
export class Exchange<Context> implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #waiting = new Map<RequestId, Waiting<Context>>()
  #last = 0

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  ask(method: string, params: Record<string, unknown>, context: Context): Promise<Answer> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, { context, resolve })
      this.onmessage?.({ jsonrpc: '2.0', id, method, params })
    })
  }

  contextOf(id: RequestId): Context {
    const waiting = this.#waiting.get(id)
    if (!waiting) throw new Error(`no request ${id} is waiting`)
    return waiting.context
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || message.id === undefined) return
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    waiting?.resolve('result' in message ? { result: message.result } : { error: message.error })
  }
}
