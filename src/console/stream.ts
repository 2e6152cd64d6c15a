/** The live stream of events, for pages and for programs: one frame an event, resumable, never silent. */
import type { FastifyReply } from 'fastify'
import type { Batch, Follower, Place } from '../kernel/feed.ts'
import { frames, INTERACTIONS, type Frames } from './frames.ts'
import { choice, type ConsoleRoutes } from './page.ts'

const PING_MS = 25_000
const RETRY_MS = 3_000
/** A reader that is further behind than this is dropped; it comes back and resumes. 1 MiB. */
const MAX_BEHIND = 1024 * 1024

export const streamConsole: ConsoleRoutes = async (app) => {
  const { kernel } = app
  const { feed, log } = kernel
  const open = new Set<() => void>()
  app.addHook('preClose', async () => open.forEach((end) => end()))
  const framesOf = frames(kernel)

  app.get('/events', async (request, reply) => {
    const kind = choice(request, 'feed', ['', INTERACTIONS])
    const epoch = await feed.epoch()
    const place = parsePlace(epoch, request.headers['last-event-id'])
    const stream = openStream(reply)
    const follower = follow(stream, epoch, (batch) => framesOf(batch, kind))
    open.add(stream.end)
    stream.onClose(() => {
      open.delete(stream.end)
      feed.leave(follower)
    })
    try {
      const joined = await feed.follow(follower, place === 'unknown' ? undefined : place)
      if (joined === 'lost' || place === 'unknown') stream.write(RESYNC)
    } catch (error) {
      log.warn({ err: error }, 'a stream could not begin')
      stream.end()
    }
    return reply
  })
}

const RESYNC = 'event: resync\ndata: {}\n\n'

interface Stream {
  write(text: string): void
  end(): void
  onClose(work: () => void): void
}

function openStream(reply: FastifyReply): Stream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  } as Record<string, string>)
  raw.write(`: connected\nretry: ${RETRY_MS}\n\n`)
  const write = (text: string): void => {
    if (raw.destroyed || raw.writableEnded) return
    // What is not read is not kept: the reader resumes from the last frame that it has.
    if (raw.writableLength + text.length > MAX_BEHIND) raw.destroy()
    else raw.write(text)
  }
  const ping = setInterval(() => write(': ping\n\n'), PING_MS)
  raw.on('close', () => clearInterval(ping))
  return {
    write,
    end: () => raw.end(`retry: ${RETRY_MS}\n\n`),
    onClose: (work) => void raw.on('close', work),
  }
}

function follow(
  stream: Stream,
  epoch: string,
  framesOf: (batch: Batch) => Promise<Frames>,
): Follower {
  // Frames of one reader stay in order, though making them may ask the database.
  let last: Promise<void> = Promise.resolve()
  return {
    take(batch) {
      last = last.then(async () => {
        for (const { json, tx, id } of await framesOf(batch)) {
          const place = `${epoch}~${batch.prev}~${batch.now}~${tx}.${id}`
          stream.write(`id: ${place}\ndata: ${json}\n\n`)
        }
      })
      last.catch(() => stream.end())
    },
    lost() {
      stream.write(RESYNC)
      // Its places are of the old epoch; a new stream gives it those of the new one.
      stream.end()
    },
  }
}

const SNAPSHOT = /^\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?$/

/** `unknown`: a place of another epoch, or none of ours; the reader is told that it lost its place. */
export function parsePlace(
  epoch: string,
  header: string | string[] | undefined,
): Place | 'unknown' | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header !== 'string' || header.length > 8_192) return 'unknown'
  const [own, prev = '', now = '', row = ''] = header.split('~')
  const [, tx, id] = /^(\d{1,20})\.([0-9A-Z]{26})$/.exec(row) ?? []
  if (own !== epoch || !SNAPSHOT.test(prev) || !SNAPSHOT.test(now) || !tx || !id) return 'unknown'
  return { prev, now, tx, id }
}
