import { Duplex } from 'node:stream'
import { joined } from './wire.ts'

/** The database's end of a stream. */
export interface Peer {
  /** Resolves when the database takes connections; rejects with the reason when it does not. */
  ready: Promise<void>
  /** Has the bytes for itself. */
  send(bytes: Uint8Array<ArrayBuffer>): void
  /** Called once, when the stream is over on this side. */
  gone(): void
}

/**
 * A stream that `pg` takes for a socket.
 *
 * What is written in one turn travels as one message: a statement is five writes of `pg`, and
 * statements that are asked together are several.
 */
export function openStream(peer: Peer): Duplex {
  let waiting: Buffer[] = []
  const flush = (): void => {
    if (waiting.length === 0) return
    const parts = waiting
    waiting = []
    if (!stream.destroyed) peer.send(joined(parts))
  }
  const stream = new Duplex({
    read: () => {},
    write(chunk: Buffer, _encoding, done) {
      if (waiting.push(chunk) === 1) queueMicrotask(() => process.nextTick(flush))
      done()
    },
    final(done) {
      flush()
      stream.destroy()
      done()
    },
    destroy(error, done) {
      peer.gone()
      done(error)
    },
  })
  const connect = (): void => {
    peer.ready.then(
      () => stream.emit('connect'),
      (cause: Error) => stream.destroy(cause),
    )
  }
  const nothing = (): Duplex => stream
  return Object.assign(stream, {
    connect,
    setNoDelay: nothing,
    setKeepAlive: nothing,
    ref: nothing,
    unref: nothing,
  })
}
