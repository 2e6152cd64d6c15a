import type { FastifyReply } from 'fastify'
import { unavailable } from '../kernel/refusal.ts'

const PING_EVERY = 25_000
/** Streams that one connection may hold; a further one ends the oldest. */
const PER_CONNECTION = 4

/**
 * The server-sent streams of GET. Nothing is ever sent on them but pings: no list changes, and
 * answers go with their requests.
 */
export class Streams {
  readonly #open = new Map<string, Set<() => void>>()
  readonly #alive: (connection: string) => void
  #closed = false

  /** `alive` is told of every connection that still holds a stream, with each ping. */
  constructor(alive: (connection: string) => void) {
    this.#alive = alive
  }

  open(connection: string, reply: FastifyReply): FastifyReply {
    // A request that was under way when the others were ended would hold up the stop for ever.
    if (this.#closed) throw unavailable('the service is stopping; try again')
    const own = this.#open.get(connection) ?? new Set()
    this.#open.set(connection, own)
    const [oldest] = own.size >= PER_CONNECTION ? own : []
    oldest?.()

    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    raw.write(': open\n\n')
    const ping = setInterval(() => {
      raw.write(': ping\n\n')
      this.#alive(connection)
    }, PING_EVERY)
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
    this.#closed = true
    for (const connection of [...this.#open.keys()]) this.end(connection)
  }
}
