/** The live stream of events, for pages and for programs: one message an event, resumable, never silent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { notFound } from '../../kernel/refusal.ts'
import type { Batch, Cursor, Subscriber } from '../../kernel/feed.ts'
import { isSnapshot } from '../../postgres/feed.ts'
import { Narrowing, schemaCompiler } from '../parameters.ts'
import { INTERACTIONS, rowsOf, type Rows } from './rows.ts'

const PING_MS = 25_000
const RETRY_MS = 3_000
/** A reader that is further behind than this is dropped; it comes back and resumes. 1 MiB. */
const BEHIND_BYTES = 1024 * 1024
/** Messages travel together up to this many bytes. */
const CHUNK_BYTES = 64 * 1024
/** Of a stop: a reader that does not read cannot hold it up. */
const END_MS = 1_000
/** A place holds two lists of running transactions. */
const PLACE_CHARACTERS = 32_768

const Query = Type.Object({ feed: Narrowing([INTERACTIONS]) })

export const streamConsole: FastifyPluginAsyncTypebox = async (app) => {
  app.setValidatorCompiler(schemaCompiler(notFound))
  const { kernel } = app
  const { feed, log } = kernel
  const open = new Set<Stream>()
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
    for (const stream of open) stream.end()
  })
  const chunksOf = chunks(rowsOf(kernel))

  const route = { exposeHeadRoute: false, schema: { querystring: Query } }
  app.get('/events', route, async (request, reply) => {
    const { feed: name = '' } = request.query
    const place = parsePlace(request.headers['last-event-id'])
    const stream = openStream(reply)
    const subscriber = follow(stream, (batch) => chunksOf(batch, name))
    open.add(stream)
    stream.onClose(() => {
      open.delete(stream)
      feed.leave(subscriber)
    })
    if (stopping) stream.end()
    try {
      await feed.follow(subscriber, place)
    } catch (error) {
      log.warn({ err: error }, 'a stream could not begin')
      stream.end()
    }
    return reply
  })
}

interface Stream {
  write(chunk: Buffer | string): void
  /** Resolves when what was written has left, or nobody is there any more. */
  drained(): Promise<void>
  /** From now on a ping carries this place too, so that the place of a quiet reader does not grow old. */
  at(place: Cursor): void
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
  const write = (chunk: Buffer | string): void => {
    if (raw.destroyed || raw.writableEnded) return
    // What is not read is not kept: the reader resumes from the last message that it has.
    if (raw.writableLength + chunk.length > BEHIND_BYTES) raw.destroy()
    else raw.write(chunk)
  }
  let place = ''
  const ping = setInterval(() => write(`: ping\n${place}\n`), PING_MS)
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
    at: (given) => void (place = `id: ${formatPlace(given)}\n`),
    end() {
      raw.end(`retry: ${RETRY_MS}\n\n`)
      setTimeout(() => raw.destroy(), END_MS).unref()
    },
    onClose: (work) => void raw.on('close', work),
  }
}

const RESYNC = 'event: resync\ndata: {}\n'

function follow(
  stream: Stream,
  chunksOf: (batch: Batch) => Promise<readonly Buffer[]>,
): Subscriber {
  // Messages of one reader stay in order, though making them may ask the database.
  let last: Promise<void> = Promise.resolve()
  let tailing = false
  const next = (work: () => Promise<void> | void): Promise<void> =>
    (last = last.then(work).catch(() => stream.end()))
  return {
    take: (batch) =>
      next(async () => {
        for (const chunk of await chunksOf(batch)) {
          stream.write(chunk)
          if (!tailing) await stream.drained()
        }
        const { tx, id } = batch.events.at(-1)!
        stream.at({ ...batch, tx, id })
      }),
    begin(at, lost) {
      // From here on nobody waits for this reader, so what it does not read counts as behind.
      tailing = true
      void next(() => {
        stream.write(`${lost ? RESYNC : ''}id: ${formatPlace(at)}\n\n`)
        stream.at(at)
      })
    },
  }
}

/** On a batch itself: the keys of a WeakMap outlive many of the quick collections of garbage. */
const MADE = Symbol('chunks')

/**
 * The text of a batch's messages in pieces that are written whole, made once for everybody who takes the
 * same feed.
 */
function chunks<Feed extends string>(
  rowsOf: (batch: Batch, feed: Feed) => Promise<Rows>,
): (batch: Batch, feed: Feed) => Promise<readonly Buffer[]> {
  return (batch: Batch & { [MADE]?: Map<Feed, Promise<Buffer[]>> }, feed) => {
    const made = (batch[MADE] ??= new Map<Feed, Promise<Buffer[]>>())
    const chunks = made.get(feed) ?? rowsOf(batch, feed).then((rows) => pack(batch, rows))
    made.set(feed, chunks)
    return chunks
  }
}

function pack(batch: Batch, rows: Rows): Buffer[] {
  const chunks: Buffer[] = []
  let text = ''
  for (const { json, tx, id } of rows) {
    text += `id: ${formatPlace({ ...batch, tx, id })}\ndata: ${json}\n\n`
    if (text.length < CHUNK_BYTES) continue
    chunks.push(Buffer.from(text))
    text = ''
  }
  if (text !== '') chunks.push(Buffer.from(text))
  return chunks
}

const formatPlace = ({ epoch, prev, now, tx, id }: Cursor): string =>
  `${epoch}~${prev}~${now}~${tx}.${id}`

/** `unknown`: it is no place at all; whether it is one of this log is the feed's to say. */
export function parsePlace(header: string | string[] | undefined): Cursor | 'unknown' | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header !== 'string' || header.length > PLACE_CHARACTERS) return 'unknown'
  const [epoch = '', prev = '', now = '', row = '', ...more] = header.split('~')
  const [, tx, id] = /^(\d{1,19})\.([0-9A-Z]{26})$/.exec(row) ?? []
  if (!isSnapshot(prev) || !isSnapshot(now) || !tx || !id || more.length > 0) return 'unknown'
  return { epoch, prev, now, tx, id }
}
