/** A reader of the live stream, as a browser's EventSource has it, but told when to come back. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface Frame {
  /** The last event id once this frame was read. */
  id: string
  /** `message` unless the frame says otherwise. */
  event: string
  data: any
  /** Monotonic milliseconds of its arrival. */
  at: number
}

export interface Stream extends AsyncDisposable {
  status: number
  headers: IncomingHttpHeaders
  /** Everything that arrived so far, but for comments. */
  frames: Frame[]
  /** The lines of comments, without the colon. */
  comments: string[]
  /** Milliseconds, as the server said last. */
  retry: number
  /** What a browser would send to resume. */
  lastId: string
  /** The events' ids, without resyncs. */
  ids(): string[]
  /** Resolves when the condition holds; throws with what did arrive otherwise. */
  until(condition: () => boolean, ms?: number): Promise<void>
  /** Resolves when the stream has ended, whoever ended it. */
  ended: Promise<void>
  /** Stops to read, as a reader that is stuck. */
  pause(): void
  resume(): void
  /** Breaks it off. */
  cut(): void
}

export interface StreamOptions {
  url: string
  key?: string
  feed?: string
  lastId?: string
  headers?: Record<string, string>
  /** Called for each frame, which is not kept then. */
  onFrame?: (frame: Frame) => void
}

/** Resolves once the answer has begun, whatever its status; a body that is no stream is read to its end. */
export async function openStream(options: StreamOptions): Promise<Stream> {
  const { url, key, feed, lastId = '', headers = {}, onFrame } = options
  const query = feed === undefined ? '' : `?feed=${encodeURIComponent(feed)}`
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`${url}/console/events${query}`, {
      agent: false,
      headers: {
        accept: 'text/event-stream',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(lastId && { 'last-event-id': lastId }),
        ...headers,
      },
    })
    outgoing.on('response', resolve).on('error', reject).end()
  })
  const waiting = new Set<() => void>()
  const look = (): void => waiting.forEach((each) => each())
  const stream: Stream = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    frames: [],
    comments: [],
    retry: 0,
    lastId,
    ids: () => stream.frames.filter(({ event }) => event === 'message').map((one) => one.data.id),
    until: (condition, ms = 10_000) =>
      new Promise((resolve, reject) => {
        const done = (): void => {
          if (!condition()) return
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.delete(done)
          const { frames } = stream
          const last = JSON.stringify(frames.slice(-3)).slice(0, 1_000)
          reject(new Error(`waited ${ms} ms; ${frames.length} frames, the last ones ${last}`))
        }, ms)
        waiting.add(done)
        done()
      }),
    ended: new Promise((resolve) => answer.on('close', resolve)),
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    cut: () => void answer.destroy(),
    async [Symbol.asyncDispose]() {
      answer.destroy()
      await stream.ended
    },
  }
  answer.on('error', () => {})
  answer.on('close', look)
  const type = answer.headers['content-type'] ?? ''
  if (!type.startsWith('text/event-stream')) {
    answer.resume()
    return stream
  }
  const keep = onFrame ?? ((frame: Frame) => void stream.frames.push(frame))
  read(answer, stream, (frame) => keep(frame), look)
  return stream
}

/** The parsing that the specification of EventSource gives, but for byte order marks and lone CRs. */
function read(
  answer: IncomingMessage,
  stream: Stream,
  keep: (frame: Frame) => void,
  look: () => void,
): void {
  let rest = ''
  let [event, data] = ['', '']
  answer.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data !== '') {
          const json: unknown = JSON.parse(data)
          keep({ id: stream.lastId, event: event || 'message', data: json, at: performance.now() })
        }
        ;[event, data] = ['', '']
        continue
      }
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === '') stream.comments.push(value)
      else if (field === 'id') stream.lastId = value
      else if (field === 'event') event = value
      else if (field === 'data') data += data === '' ? value : `\n${value}`
      else if (field === 'retry') stream.retry = Number(value)
    }
    look()
  })
}
