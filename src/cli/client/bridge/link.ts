/**
 * The connection to the service: opened with the client's own handshake, and opened again with it when
 * the service has forgotten it.
 *
 * What cannot have reached the service is sent again. What was cut off in the middle is not, since
 * repeating it could do it twice.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../config/client.ts'
import { forbidden, unavailable } from '../../../kernel/refusal.ts'
import { answerOf, CUT_OFF } from './answer.ts'
import { type Frame, parseFrame } from './frame.ts'
import { now } from '../node.ts'
import type { Outcome, Wire } from './wire.ts'
import { WRONG_KEY } from '../plain-client.ts'

/** Between two attempts to reach the service, in milliseconds: at first, and at most. */
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 500
/** What a timer can be set to. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** How often a frame is tried on a connection that the service then does not know. */
const REOPENINGS = 3

/** Tells the service that the client itself has ended, rather than only this connection. */
const CLOSED = { 'loam-closed': 'bridge' }

export interface Outgoing {
  line: Buffer | string
  /** What it waits for. */
  after?: Promise<unknown>
  /** Headers of a frame that belongs to no connection. */
  own?: Record<string, string> | undefined
  /** Until when the service is waited for, as `now` tells it. */
  until: number
  /** Gives the frame up. */
  signal: AbortSignal
  /** May be sent twice, for it changes nothing. */
  isRepeatable?: boolean
  whenSent?(): void
}

interface Handshake {
  line: Buffer
  frame: Frame
  /** Resolves with the service's answer; undefined: nobody opens the connection. */
  opened?: Promise<string> | undefined
}

export class Link {
  readonly #client: Client
  readonly #wire: Wire
  readonly #identity: Record<string, string>
  readonly #ending = new AbortController()
  #key: string | undefined
  #handshake: Handshake | undefined
  #session = ''
  #version = ''
  #initialized: Buffer | undefined
  /** Why the last request had no answer. */
  #lost = 'no answer'
  /** Whether the service ever let us in. */
  wasLetIn = false

  constructor(client: Client, wire: Wire, identity: Record<string, string>) {
    this.#client = client
    this.#wire = wire
    this.#identity = identity
  }

  /** The version for which the client asked. */
  get asked(): string {
    return String(this.#handshake?.frame.params?.protocolVersion)
  }

  /** Opens a connection in place of any other, and waits for the service as long as it takes. */
  open(line: Buffer, frame: Frame): Promise<string> {
    const replaced = this.#session
    this.#handshake = { line, frame }
    this.#session = ''
    this.#initialized = undefined
    if (replaced) void this.#end(replaced, {}, AbortSignal.timeout(LONGEST_WAIT_MS))
    return this.#opened(this.#handshake)
  }

  /** Remembers that the client completed its handshake: it is told again on a connection opened again. */
  complete(line: Buffer): void {
    this.#initialized = line
  }

  /** Sends a frame. Refuses with the reason when it stays without an answer. */
  async send(outgoing: Outgoing): Promise<IncomingMessage> {
    if (outgoing.after) await this.#within(outgoing.after, outgoing)
    for (let attempt = 1; ; attempt++) {
      const handshake = outgoing.own ? undefined : this.#handshake
      if (handshake) await this.#within(this.#opened(handshake), outgoing)
      const session = this.#session
      const answer = await this.#post(outgoing, outgoing.own ?? this.#connection())
      if (answer.statusCode !== 404 || !handshake || attempt > REOPENINGS) return answer
      answer.resume()
      if (session === this.#session) handshake.opened = undefined
    }
  }

  /** Ends the connection: the client is gone. The service forgets an unused one by itself as well. */
  async leave(signal: AbortSignal): Promise<void> {
    this.#ending.abort()
    if (this.#session) await this.#end(this.#session, CLOSED, signal)
  }

  /** Waits for what comes first, no longer than the frame itself may wait. */
  async #within(before: Promise<unknown>, { until, signal }: Outgoing): Promise<void> {
    const done = new AbortController()
    const ms = Math.min(Math.max(0, until - now()), LONGEST_TIMER_MS)
    const given = AbortSignal.any([signal, done.signal, this.#ending.signal])
    const late = sleep(ms, 'late', { signal: given })
    try {
      if ((await Promise.race([before.then(() => 'in time'), late])) === 'late') throw this.#away()
    } finally {
      done.abort()
    }
  }

  #opened(handshake: Handshake): Promise<string> {
    if (handshake.opened) return handshake.opened
    const opened = this.#open(handshake)
    handshake.opened = opened
    // The next frame tries again; a key may have changed by then.
    opened.catch(() => {
      if (handshake.opened === opened) handshake.opened = undefined
    })
    return opened
  }

  async #open(handshake: Handshake): Promise<string> {
    const { line, frame } = handshake
    const { signal } = this.#ending
    const outgoing = { line, until: Infinity, signal, isRepeatable: true }
    for (;;) {
      const answer = await this.#post(outgoing, {})
      const text = await answerOf(answer, frame).catch(() => undefined)
      if (handshake !== this.#handshake) throw unavailable('the client opened another connection')
      if (text === undefined) {
        await sleep(LONGEST_WAIT_MS, undefined, { signal })
        continue
      }
      this.#session = String(answer.headers['mcp-session-id'] ?? '')
      const { result } = (parseFrame(text) ?? {}) as { result?: { protocolVersion?: string } }
      // What the client asked for is refused: nothing is open.
      if (!result) handshake.opened = undefined
      this.#version = result?.protocolVersion ?? ''
      if (this.#initialized) {
        const told = await this.#post({ ...outgoing, line: this.#initialized }, this.#connection())
        told.resume()
      }
      return text
    }
  }

  /** Posts until the service has it. A key that was refused is read anew, once. */
  async #post(outgoing: Outgoing, of: Record<string, string>): Promise<IncomingMessage> {
    const { line: body, until, isRepeatable = false, whenSent } = outgoing
    const signal = AbortSignal.any([outgoing.signal, this.#ending.signal])
    let isRead = false
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      signal.throwIfAborted()
      const own = await this.#headers()
      const headers = { ...own, ...of }
      const sent = { method: 'POST', headers, body, ...(whenSent && { whenSent }) } as const
      const taken = isRepeatable ? withoutTrouble : begunWith
      const outcome = taken(await this.#wire.send(sent))
      if ('answer' in outcome) {
        const { answer } = outcome
        const isLetIn = answer.statusCode !== 401 && answer.statusCode !== 403
        this.wasLetIn ||= isLetIn
        if (isLetIn) return answer
        answer.resume()
        if (answer.statusCode === 403 || isRead) throw this.#refused(answer.statusCode)
        isRead = true
        this.#key = await this.#client.key()
        const { authorization } = await this.#headers()
        if (authorization === own.authorization) throw this.#refused(answer.statusCode)
        continue
      }
      this.#lost = outcome.lost
      if (outcome.reached && !isRepeatable)
        throw unavailable(`${this.#client.url}: ${CUT_OFF} (${outcome.lost})`)
      if (now() + waitMs > until) throw this.#away()
      await sleep(waitMs, undefined, { signal })
    }
  }

  async #end(session: string, more: Record<string, string>, signal: AbortSignal): Promise<void> {
    const headers = { ...(await this.#headers()), 'mcp-session-id': session, ...more }
    const outcome = await this.#wire.send({ method: 'DELETE', headers, signal })
    if ('answer' in outcome) outcome.answer.resume()
  }

  async #headers(): Promise<Record<string, string> & { authorization: string }> {
    this.#key ??= await this.#client.key()
    return {
      ...this.#identity,
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
  }

  #connection(): Record<string, string> {
    return {
      ...(this.#session && { 'mcp-session-id': this.#session }),
      ...(this.#version && { 'mcp-protocol-version': this.#version }),
    }
  }

  #away(): Error {
    return unavailable(
      `the Loam service cannot be reached at ${this.#client.url} (${this.#lost}), so this call was ` +
        'not carried out. Go on without it and say so, or have it started with "loam serve" and ' +
        'call again: the tools work as soon as it runs.',
    )
  }

  #refused(status: number | undefined): Error {
    const why = status === 401 ? WRONG_KEY : 'this host name is not allowed'
    return forbidden(`${this.#client.url}: the service refused the connection: ${why}`)
  }
}

/** A service that stops says when to come back, and so does a proxy before one that is away: neither began with it. */
function begunWith(outcome: Outcome): Outcome {
  if (!('answer' in outcome)) return outcome
  const { statusCode, headers } = outcome.answer
  if (statusCode !== 503 || headers['retry-after'] === undefined) return outcome
  outcome.answer.resume()
  return { lost: `status ${statusCode}`, reached: false }
}

/** A service in trouble is as good as away, and so is one for which a proxy answers. */
function withoutTrouble(outcome: Outcome): Outcome {
  if (!('answer' in outcome)) return outcome
  const { answer } = outcome
  if ((answer.statusCode ?? 0) < 500) return outcome
  answer.resume()
  return { lost: `status ${answer.statusCode}`, reached: true }
}
