/** Requests to the service, on connections that stay open between them. No packages: a client waits for our start. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { http, https } from '../node.ts'

/** Until a connection is there, in milliseconds. */
const CONNECT_MS = 5_000
/** When a connection on which nothing happens is asked whether the other side still lives. */
const PROBE_MS = 30_000

export interface Request {
  method: 'POST' | 'DELETE'
  headers: OutgoingHttpHeaders
  body?: Buffer | string
  signal?: AbortSignal
  /** Called once the whole request was handed to the system. */
  whenSent?(): void
}

/** An answer whose body is still to be read, or why there is none. */
export type Outcome = { answer: IncomingMessage } | Lost

/** `reached`: the whole request may have arrived. Otherwise it cannot have taken effect. */
export interface Lost {
  lost: string
  reached: boolean
}

export interface Wire {
  send(request: Request): Promise<Outcome>
  /** Ends every connection, and what waits on one. */
  close(): void
}

export function openWire(address: string): Wire {
  const url = new URL(address)
  const { Agent, request: ask } = url.protocol === 'https:' ? https() : http()
  const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
  const agent = new Agent({ keepAlive: true })
  return {
    async send({ method, headers, body, signal, whenSent }) {
      // A connection that the service closed meanwhile is given up before it is used again.
      await turn()
      await turn()
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      let reached = false
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const options = {
        method,
        agent,
        headers: { ...headers, ...length },
        ...(signal && { signal }),
      }
      const request = ask(url, options, (answer) => resolve({ answer }))
      const connecting = setTimeout(() => request.destroy(slow()), CONNECT_MS)
      request.on('socket', (socket) => {
        socket.setKeepAlive(true, PROBE_MS)
        if (socket.connecting) socket.once(connected, () => clearTimeout(connecting))
        else clearTimeout(connecting)
      })
      request.on('finish', () => {
        reached = true
        whenSent?.()
      })
      request.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ lost: error.code ?? 'unknown', reached }),
      )
      request.on('close', () => clearTimeout(connecting))
      request.end(body)
      return await promise
    },
    close: () => agent.destroy(),
  }
}

const slow = (): Error => Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
