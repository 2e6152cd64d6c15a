/** A connection to one of the judged addresses, and to no other. */
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { Network } from '../kernel/network.ts'

/** The time of all attempts together, with the TLS handshake. */
const CONNECT_MS = 5_000
/** The attempts for one name: after so many silent addresses, a further one will not help. */
const MAX_ADDRESSES = 4

export interface Destination {
  /** The judged addresses, in the order of the attempts. */
  addresses: readonly string[]
  port: number
  /** The name in the certificate. */
  host: string
  encrypted: boolean
}

/** Tries the addresses in turn, each with its share of the remaining time. Rejects with the last cause. */
export async function dial(
  { connect }: Pick<Network, 'connect'>,
  { addresses, port, host, encrypted }: Destination,
  stop: AbortSignal,
): Promise<Socket> {
  const deadline = performance.now() + CONNECT_MS
  const tried = addresses.slice(0, MAX_ADDRESSES)
  let cause: unknown
  for (const [index, address] of tried.entries()) {
    const shareMs = (deadline - performance.now()) / (tried.length - index)
    const signal = AbortSignal.any([stop, AbortSignal.timeout(Math.max(1, Math.ceil(shareMs)))])
    let socket: Socket | undefined
    try {
      socket = connect(address, port)
      await ready(socket, 'connect', signal)
      if (encrypted) {
        socket = secure({ socket, ...identity(host), rejectUnauthorized: true, ALPNProtocols })
        await ready(socket, 'secureConnect', signal)
      }
      return socket
    } catch (error) {
      socket?.destroy()
      if (stop.aborted) throw error
      cause = error
    }
  }
  throw cause
}

const ALPNProtocols = ['http/1.1']

/** Returns the name that the certificate must have. An address is no server name. */
const identity = (host: string): { host: string; servername?: string } =>
  isIP(host) === 0 ? { host, servername: host } : { host }

async function ready(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  // After the wait nothing else listens for an error.
  socket.on('error', () => {})
  await once(socket, event, { signal })
}
