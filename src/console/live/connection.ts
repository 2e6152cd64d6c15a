/** One open connection of the stream: bounded, kept alive by pings, and ended in time at a stop. */
import type { FastifyReply } from 'fastify'
import type { Cursor } from '../../kernel/feed.ts'
import { formatCursor } from './cursor.ts'

const PING_MS = 25_000
const RETRY_MS = 3_000
/** A reader that is further behind than this is dropped; it comes back and resumes. 1 MiB. */
const BEHIND_BYTES = 1024 * 1024
/** A reader that does not read cannot hold up a stop for longer. */
const END_MS = 1_000

export interface Stream {
  write(chunk: Buffer | string): void
  /** Resolves when everything that was written has left, or the reader is gone. */
  drained(): Promise<void>
  /** From now on a ping carries this cursor too, so that the cursor of a quiet reader does not grow old. */
  at(cursor: Cursor): void
  end(): void
  onClose(work: () => void): void
}

export function openStream(reply: FastifyReply): Stream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  } as Record<string, string>)
  raw.write(`: connected\nretry: ${RETRY_MS}\n\n`)
  const write = (chunk: Buffer | string): void => {
    if (raw.destroyed || raw.writableEnded) return
    // What is not read is not kept: the reader resumes from the last message that it has.
    if (raw.writableLength + chunk.length > BEHIND_BYTES) raw.destroy()
    else raw.write(chunk)
  }
  let cursor = ''
  const ping = setInterval(() => write(`: ping\n${cursor}\n`), PING_MS)
  const waiting = new Set<() => void>()
  const wakeAll = (): void => {
    for (const wake of waiting) wake()
    waiting.clear()
  }
  raw.on('drain', wakeAll)
  raw.on('close', () => {
    clearInterval(ping)
    wakeAll()
  })
  return {
    write,
    async drained() {
      if (raw.destroyed || raw.writableEnded || !raw.writableNeedDrain) return
      await new Promise<void>((wake) => waiting.add(wake))
    },
    at: (given) => void (cursor = `id: ${formatCursor(given)}\n`),
    end() {
      raw.end(`retry: ${RETRY_MS}\n\n`)
      setTimeout(() => raw.destroy(), END_MS).unref()
    },
    onClose: (work) => void raw.on('close', work),
  }
}
