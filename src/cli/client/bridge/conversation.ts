/**
 * What the client says, frame by frame. Requests do not wait for each other. A notification keeps its
 * place: it goes after what came before it was sent, and before what comes after.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../../kernel/refusal.ts'
import { now } from '../node.ts'
import { answerOf, framesOf } from './answer.ts'
import {
  answered,
  failure,
  type Frame,
  type Id,
  idOf,
  INVALID_REQUEST,
  isCall,
  ownHeaders,
  ownVersion,
  PARSE_ERROR,
  parseJson,
  resultOf,
  UNREACHABLE,
} from './frame.ts'
import type { Question } from './kept.ts'
import { isTooLong, type TooLong } from './lines.ts'
import type { Link, Outgoing } from './link.ts'
import type { Memory } from './packaged.ts'

/** How long a first question waits for the service before it is answered with what is known, in milliseconds. */
const FIRST_PATIENCE_MS = 300
/** The same once the service has answered it before: it is there, and has much to do. */
const LATER_PATIENCE_MS = 5_000
/** What follows a notification waits so long for the service to take it. */
const NOTICE_MS = 2_000

interface Options {
  link: Link
  /** Left out: only the service answers. */
  memory: Memory | undefined
  /** Takes one line, without its end. */
  output(line: string): void
  /** How long a call waits for a service that is away, in milliseconds. */
  patienceMs: number
  /** Called when the service lets nobody in with this key, before it ever did. */
  refused(error: Refusal): void
}

interface Waiting {
  isSent: boolean
  stop: AbortController
}

export class Conversation {
  readonly #options: Options
  /** What the next frame waits for: the notification before it. */
  #gate: Promise<unknown> = Promise.resolve()
  /** Frames that are not sent yet. */
  readonly #unsent = new Set<Promise<void>>()
  readonly #calls = new Map<Id, Waiting>()
  readonly #running = new Set<Promise<void>>()
  /** Questions that the service itself has answered. */
  readonly #heard = new Set<string>()
  /** Whether the last question was answered without the service. */
  #isAway = false
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Takes one line from the client. Returns at once. */
  take(line: Buffer | TooLong): void {
    if (isTooLong(line))
      return this.#say(failure(idOf(line), INVALID_REQUEST, 'the frame is too long'))
    const value = parseJson(line)
    if (value === undefined)
      return this.#say(failure(null, PARSE_ERROR, 'Parse error: the line is not JSON'))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.#say(failure(null, INVALID_REQUEST, 'the line must be one JSON-RPC object'))
    const frame = value as Frame
    const work = isCall(frame) ? this.#call(line, frame) : this.#notify(line, frame)
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Says nothing any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Resolves when everything is answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #call(line: Buffer, frame: Frame): Promise<void> {
    const { link, patienceMs } = this.#options
    const waiting: Waiting = { isSent: false, stop: new AbortController() }
    const sent = Promise.withResolvers<void>()
    this.#calls.set(frame.id!, waiting)
    this.#unsent.add(sent.promise)
    const outgoing: Outgoing = {
      line,
      after: this.#gate,
      own: ownHeaders(frame),
      until: now() + patienceMs,
      signal: waiting.stop.signal,
      whenSent() {
        waiting.isSent = true
        sent.resolve()
      },
    }
    try {
      const question = questionOf(frame, link.asked)
      if (question) return await this.#answerSoon(frame, question, outgoing)
      for await (const text of framesOf(await link.send(outgoing), frame)) this.#say(text)
    } catch (error) {
      if (!waiting.stop.signal.aborted) this.#sayWhy(frame, error)
    } finally {
      sent.resolve()
      this.#unsent.delete(sent.promise)
      if (this.#calls.get(frame.id!) === waiting) this.#calls.delete(frame.id!)
    }
  }

  /**
   * Answers a question that the client asks before it works, in time: with what the service says, else
   * with what it last said. What it says later is kept for the next start.
   */
  async #answerSoon(frame: Frame, question: Question, outgoing: Outgoing): Promise<void> {
    const real = this.#ask(frame, question, outgoing)
    const usual = this.#heard.has(question.method) ? LATER_PATIENCE_MS : FIRST_PATIENCE_MS
    // A client asks one question after the other, and its agent waits for all of them.
    const ms = this.#isAway ? 0 : usual
    const timer = new AbortController()
    const late = sleep(ms, undefined, { signal: timer.signal, ref: false })
    const first = real.catch((error: unknown) => {
      if (error instanceof Refusal && error.kind === 'forbidden') throw error
    })
    const inTime = await Promise.race([first, late]).finally(() => timer.abort())
    const known = inTime === undefined ? this.#known(question) : undefined
    this.#isAway = known !== undefined
    this.#say(inTime ?? (known === undefined ? await real : answered(frame.id, known)))
    const result = resultOf(await (known === undefined ? real : real.catch(() => '')))
    if (result === undefined) return
    this.#isAway = false
    this.#heard.add(question.method)
    if (question.method !== 'ping') this.#options.memory?.keep(question, result)
  }

  async #ask(frame: Frame, { method }: Question, outgoing: Outgoing): Promise<string> {
    const { link, memory } = this.#options
    if (method === 'initialize') {
      outgoing.whenSent?.()
      return link.open(outgoing.line as Buffer, frame)
    }
    const { until } = outgoing
    const asking = { ...outgoing, isRepeatable: true, until: memory ? Infinity : until }
    return answerOf(await link.send(asking), frame)
  }

  #known(question: Question): string | undefined {
    const { memory } = this.#options
    // The bridge itself lives.
    return question.method === 'ping' ? memory && '{}' : memory?.known(question)
  }

  /** Passes on what is no call: a notification, or an answer to a question of the service. */
  async #notify(line: Buffer, frame: Frame): Promise<void> {
    const { link, patienceMs } = this.#options
    if (frame.method === 'notifications/cancelled' && this.#stop(frame.params?.requestId)) return
    const after = Promise.all([this.#gate, ...this.#unsent])
    const passed = Promise.withResolvers<void>()
    this.#gate = passed.promise
    try {
      const answer = await link.send({
        line,
        after,
        own: ownHeaders(frame),
        until: now() + patienceMs,
        signal: NEVER,
        whenSent: () => setTimeout(passed.resolve, NOTICE_MS).unref(),
      })
      if (frame.method === 'notifications/initialized') link.complete(line)
      for await (const text of framesOf(answer, frame)) if (isOdd(frame)) this.#say(text)
    } catch (error) {
      if (isOdd(frame)) this.#sayWhy(frame, error)
    } finally {
      passed.resolve()
    }
  }

  /** Gives up a call that the service has not seen. Returns false when there is none. */
  #stop(id: unknown): boolean {
    const waiting = this.#calls.get(id as Id)
    if (!waiting || waiting.isSent) return false
    waiting.stop.abort()
    return true
  }

  #sayWhy({ id, method }: Frame, error: unknown): void {
    const { link, refused } = this.#options
    const why = error instanceof Refusal ? error.message : 'the bridge is closing'
    this.#say(failure(id, UNREACHABLE, why))
    const isNew = method === 'initialize' && !link.wasLetIn
    if (isNew && error instanceof Refusal && error.kind === 'forbidden') refused(error)
  }

  #say(line: string): void {
    if (!this.#isClosed) this.#options.output(line)
  }
}

const NEVER = new AbortController().signal

/** Whether a frame is neither a notification nor an answer: its sender hears what is wrong with it. */
const isOdd = ({ method, result, error }: Frame): boolean =>
  method === undefined && result === undefined && error === undefined

/** Returns what is asked when it can be answered without the service. */
function questionOf(frame: Frame, asked: string): Question | undefined {
  const { method, params } = frame
  const own = ownVersion(frame)
  const isStateless = own !== undefined
  if (method === 'initialize' && !isStateless)
    return { method, version: String(params?.protocolVersion), isStateless }
  if (method === 'server/discover' && isStateless) return { method, version: own, isStateless }
  // Some clients write null for no cursor.
  if (method === 'ping' || (method === 'tools/list' && (params?.cursor ?? null) === null))
    return { method, version: own ?? asked, isStateless }
  return undefined
}
