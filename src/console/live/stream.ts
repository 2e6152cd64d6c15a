/** The live stream of events, for pages and for programs: one message an event, resumable, never silent. */
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Batch, Subscriber } from '../../kernel/feed.ts'
import { notFound } from '../../kernel/refusal.ts'
import { Narrowing, schemaCompiler } from '../parameters.ts'
import { openStream, type Stream } from './connection.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { INTERACTIONS, rowsOf, type Rows } from './rows.ts'

/** Messages travel together up to this many bytes. */
const CHUNK_BYTES = 64 * 1024

const Query = Type.Object({ feed: Narrowing([INTERACTIONS]) })

export const streamConsole: FastifyPluginAsyncTypebox = async (app) => {
  app.setValidatorCompiler(schemaCompiler(notFound))
  const { kernel } = app
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
    const cursor = parseCursor(request.headers['last-event-id'])
    const stream = openStream(reply)
    const subscriber = follow(stream, (batch) => chunksOf(batch, name))
    open.add(stream)
    stream.onClose(() => {
      open.delete(stream)
      kernel.feed.leave(subscriber)
    })
    if (stopping) stream.end()
    try {
      await kernel.feed.follow(subscriber, cursor)
    } catch (error) {
      kernel.log.warn({ err: error }, 'a stream could not begin')
      stream.end()
    }
    return reply
  })
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
          // In one turn nothing leaves, and who reads would be dropped for a batch of long messages.
          await (tailing ? turn() : stream.drained())
        }
        const { tx, id } = batch.events.at(-1)!
        stream.at({ ...batch, tx, id })
      }),
    begin(at, lost) {
      // From here on the feed does not wait for this reader: whatever it has not read counts as behind.
      tailing = true
      void next(() => {
        stream.write(`${lost ? RESYNC : ''}id: ${formatCursor(at)}\n\n`)
        stream.at(at)
      })
    },
  }
}

/** Kept on the batch itself: the keys of a WeakMap outlive many quick collections of garbage. */
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
    text += `id: ${formatCursor({ ...batch, tx, id })}\ndata: ${json}\n\n`
    if (text.length < CHUNK_BYTES) continue
    chunks.push(Buffer.from(text))
    text = ''
  }
  if (text !== '') chunks.push(Buffer.from(text))
  return chunks
}
