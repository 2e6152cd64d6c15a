import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'

/** What a request is answered with, but for its id. */
export type Answer =
  { result: object } | { error: { code: number; message: string; data?: unknown } }

/** Takes what is said to the client before its answer, as whole messages. */
export type Tell = (message: object) => void

interface Waiting<Context> {
  context: Context
  tell: Tell
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

  ask(
    method: string,
    params: Record<string, unknown>,
    context: Context,
    tell: Tell = () => {},
  ): Promise<Answer> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, { context, tell, resolve })
      this.onmessage?.({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** What a client answers to what a handler asked it. Of no matter where nobody asked. */
  hear(answer: JSONRPCMessage): void {
    this.onmessage?.(answer)
  }

  contextOf(id: RequestId): Context {
    const waiting = this.#waiting.get(id)
    if (!waiting) throw new Error(`no request ${id} is waiting`)
    return waiting.context
  }

  async send(
    message: JSONRPCMessage,
    { relatedRequestId }: TransportSendOptions = {},
  ): Promise<void> {
    if ('method' in message) {
      // What belongs to no request has nowhere to go.
      if (relatedRequestId !== undefined) this.#waiting.get(relatedRequestId)?.tell(message)
      return
    }
    if (message.id === undefined) return
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    waiting?.resolve('result' in message ? { result: message.result } : { error: message.error })
  }
}
