/** The network beyond this machine: names, sockets, and how many requests run at once. */
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import pLimit, { type LimitFunction } from 'p-limit'
import { unavailable } from './refusal.ts'

/** Work that reaches out; aborted when the process stops. */
type Errand<T> = (stop: AbortSignal) => Promise<T>

export interface Network {
  /** Every address of the name, as the system has it now. Rejects when it has none. */
  resolve(name: string): Promise<string[]>
  /** A TCP connection to exactly this address: nothing is looked up, no proxy is asked. */
  connect(address: string, port: number): Socket
  /** Runs work that reaches out, a few at a time. Throws a Refusal when too many wait or all is stopping. */
  reaching<T>(errand: Errand<T>): Promise<T>
  /** Runs work on a response, one at a time, so that only one of them takes memory. */
  digesting<T>(errand: Errand<T>): Promise<T>
  /** Aborts what runs and refuses what comes. */
  close(): void
}

const REACHING = 4
/** How many wait behind those: an agent that waits longer has given up by itself. */
const WAITING = 8

/** The network as it is. A test brings names and sockets of its own; what judges them stays. */
export function openNetwork(world: Partial<Pick<Network, 'resolve' | 'connect'>> = {}): Network {
  const stopping = new AbortController()
  const reaching = pLimit(REACHING)
  const digesting = pLimit(1)

  function run<T>(limit: LimitFunction, errand: Errand<T>): Promise<T> {
    return limit(async () => {
      if (stopping.signal.aborted) throw unavailable('the service is stopping; try again')
      return errand(stopping.signal)
    })
  }

  return {
    resolve: world.resolve ?? resolveName,
    connect: world.connect ?? connectTo,
    async reaching(errand) {
      if (reaching.pendingCount >= WAITING) {
        throw unavailable('too many pages are being captured at once; try again in a moment')
      }
      return run(reaching, errand)
    },
    digesting: (errand) => run(digesting, errand),
    close: () => stopping.abort(),
  }
}

async function resolveName(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

function connectTo(address: string, port: number): Socket {
  // A name would be looked up again, and might then lead to another address than the one that was judged.
  if (isIP(address) === 0) throw new Error('only a literal address can be connected to')
  return connect({ host: address, port, autoSelectFamily: false })
}
