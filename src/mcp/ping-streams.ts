import type { FastifyReply } from 'fastify'
import { unavailable } from '../kernel/refusal.ts'
import { EVENT_STREAM } from './reply-stream.ts'

const PING_INTERVAL_MS = 25_000
/** Streams that one connection may hold; a further one ends the oldest. */
const PER_CONNECTION = 4

/**
 * The server-sent streams of GET. Nothing but pings is ever sent on them: no list changes, and answers go
 * with their requests.
 */
export class PingStreams {
  readonly #open = new Map<string, Set<() => void>>()
  readonly #seen: (connection: string) => void
  #isClosed = false

  /** `seen` is called with each ping, for every connection that still holds a stream. */
  constructor(seen: (connection: string) => void) {
    this.#seen = seen
  }

  open(connection: string, reply: FastifyReply): FastifyReply {
    // A stream that opens after the others were ended would keep the service from stopping.
    if (this.#isClosed) throw unavailable('the service is stopping; try again')
    const own = this.#open.get(connection) ?? new Set()
    this.#open.set(connection, own)
    const [oldest] = own.size >= PER_CONNECTION ? own : []
    oldest?.()

    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, EVENT_STREAM)
    raw.write(': open\n\n')
    const ping = setInterval(() => {
      raw.write(': ping\n\n')
      this.#seen(connection)
    }, PING_INTERVAL_MS)
    const end = (): void => {
      clearInterval(ping)
      own.delete(end)
      if (own.size === 0 && this.#open.get(connection) === own) this.#open.delete(connection)
      raw.end()
    }
    own.add(end)
    raw.on('close', end)
    return reply
  }

  /** Ends the streams of a connection that is gone. */
  end(connection: string): void {
    for (const end of [...(this.#open.get(connection) ?? [])]) end()
  }

  close(): void {
    this.#isClosed = true
    for (const connection of [...this.#open.keys()]) this.end(connection)
  }
}
