/** A connection to one of the addresses that were judged, and to nothing else. */
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { Network } from '../kernel/network.ts'

/** For all attempts together, the TLS handshake included. */
const CONNECT_MS = 5_000
/** A name with more addresses than this has enough of them that do not answer. */
const MOST_ADDRESSES = 4

export interface Destination {
  /** Judged; tried in this order. */
  addresses: readonly string[]
  port: number
  /** As certificates name it. */
  host: string
  encrypted: boolean
}

/** Tries the addresses in turn, each with its share of the time that is left. Rejects with the last cause. */
export async function dial(
  { connect }: Pick<Network, 'connect'>,
  { addresses, port, host, encrypted }: Destination,
  stop: AbortSignal,
): Promise<Socket> {
  const deadline = performance.now() + CONNECT_MS
  const tried = addresses.slice(0, MOST_ADDRESSES)
  let cause: unknown
  for (const [index, address] of tried.entries()) {
    const share = (deadline - performance.now()) / (tried.length - index)
    const signal = AbortSignal.any([stop, AbortSignal.timeout(Math.max(1, Math.ceil(share)))])
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

/** Whom the certificate must name. An address is no server name. */
const identity = (host: string): { host: string; servername?: string } =>
  isIP(host) === 0 ? { host, servername: host } : { host }

async function ready(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  // An error after the wait was given up has nobody else who listens.
  socket.on('error', () => {})
  await once(socket, event, { signal })
}
