/**
 * Many connections over the one session that an embedded database has.
 *
 * A connection's messages are kept until they make a whole batch (up to Sync, or one simple query),
 * and a batch runs as one piece: the unnamed statements of two connections never mix. While a
 * transaction is open the session belongs to its connection and the others wait, first come, first
 * served, except that single statements pass waiting transactions for a moment. Each
 * connection behaves like one to a server, except that nothing runs in parallel.
 */
import { KeptPlans } from './kept-plans.ts'
import * as wire from './wire.ts'

/** Runs a batch on the session and gives back everything it answered. */
export type Execute = (batch: Buffer) => Buffer

export interface Outlet {
  /** Sends the parts together, before it returns. */
  send(connection: number, parts: readonly Uint8Array[]): void
  /** The connection is over, after what was sent. */
  close(connection: number): void
  /** The session itself was notified on this channel. Comes before the answer that it came with is sent. */
  heard(channel: string): void
}

export interface Multiplexer {
  receive(connection: number, bytes: Buffer): void
  /** The client went away: its open transaction is rolled back. */
  drop(connection: number): void
}

interface Connection {
  id: number
  greeted: boolean
  /** Bytes of a message that has not arrived whole. */
  rest: Buffer
  /** Messages of a batch that has not arrived whole. */
  pending: Buffer[]
  channels: Set<string>
}

interface Batch {
  connection: Connection
  messages: Buffer[]
  /** It begins a transaction, which will hold the session to its end. */
  opens: boolean
  /** When it arrived, on the monotonic clock. */
  sinceMs: number
}

/**
 * A reader sends each statement after the answer to the last. If transactions ran in between, each of
 * its statements would wait for a whole write. So single statements go first, and the session waits
 * LINGER_MS for the next one, unless the connection that was answered last begins a transaction. No
 * transaction waits longer than LONGEST_WAIT_MS for readers.
 */
const LINGER_MS = 3
const LONGEST_WAIT_MS = 20

/** After these the client waits for an answer. */
const BOUNDARIES = new Set(['Q', 'S', 'H', 'F'])
/** The parts of a copy into the database. One that is refused may still be followed by them. */
const COPY_PARTS = new Set(['d', 'c', 'f'])
const COPY_IN = /(?:^|;)\s*copy\b[^;]*\bfrom\s+stdin\b/i
const LISTEN = /^\s*(un)?listen\s+("?)([\w*]+)\2\s*;?\s*$/i

export interface Limits {
  /** For a transaction that lies open without a statement. */
  idleInTransactionMs: number
}

export function multiplex(execute: Execute, outlet: Outlet, limits: Limits): Multiplexer {
  const connections = new Map<number, Connection>()
  const plans = new KeptPlans()
  const queue: Batch[] = []
  let owner: Connection | null = null
  let ownerTimer: NodeJS.Timeout | undefined
  let draining = false
  /** Runs while only transactions wait, for a reader's next statement. */
  let lingering: NodeJS.Timeout | undefined
  /** When a single statement was answered last, and whose. */
  let answered: { at: number; to: Connection | null } = { at: -Infinity, to: null }
  /** What has been answered and not yet sent, by connection. */
  let outgoing = new Map<number, Buffer[]>()

  /** Takes the next batch that may run: the owner's, or the oldest when the session is free. */
  function take(): Batch | undefined {
    const at = owner ? queue.findIndex((batch) => batch.connection === owner) : nextOfAll()
    return at < 0 ? undefined : queue.splice(at, 1)[0]
  }

  function nextOfAll(): number {
    const now = performance.now()
    const lingers = now - answered.at < LINGER_MS
    const held = new Set<Connection>()
    let opening = -1
    for (const [at, { connection, opens, sinceMs }] of queue.entries()) {
      if (held.has(connection)) continue
      if (!opens || now - sinceMs > LONGEST_WAIT_MS) return at
      // What follows in the transaction waits with its beginning.
      held.add(connection)
      if (opening < 0 && (!lingers || answered.to === connection)) opening = at
    }
    return opening
  }

  /**
   * Runs one batch at a time, with a pause in which more of the owner's can arrive. The batches of
   * the owner that have arrived already run together and are answered together.
   */
  function drain(): void {
    draining = false
    clearTimeout(lingering)
    let batch = take()
    if (!batch) return linger()
    do run(batch)
    while (owner && (batch = take()))
    post()
    schedule()
  }

  /** Whatever comes meanwhile is looked at when it comes: a reader's next statement does not wait for it. */
  function linger(): void {
    if (owner || queue.length === 0) return
    lingering = setTimeout(drain, Math.max(0, answered.at + LINGER_MS - performance.now()))
  }

  function schedule(): void {
    if (draining || queue.length === 0) return
    draining = true
    setImmediate(drain)
  }

  function run({ connection, messages }: Batch): void {
    clearTimeout(ownerTimer)
    const [first] = messages
    const statement = messages.length === 1 && first ? wire.statementOf(first) : ''
    const [, no, , channel = ''] = LISTEN.exec(statement) ?? []
    // The session listens for all of them, so one connection's goodbye must not reach it.
    if (no) return unlisten(connection, channel)
    if (channel) connection.channels.add(channel)
    const refused = messages.some((message) => COPY_IN.test(wire.statementOf(message)))
    const asked = plans.rewrite(refused ? [REFUSE_COPY] : messages)
    const answer = execute(Buffer.concat(asked.messages))
    const parts = asked.answered(wire.cutMessages(answer, true).messages)
    endBatch(connection, wire.endOf(parts))
    deliver(connection, parts)
  }

  function send(connection: number, ...bytes: Buffer[]): void {
    const before = outgoing.get(connection)
    if (before) before.push(...bytes)
    else outgoing.set(connection, bytes)
  }

  function post(): void {
    const sending = outgoing
    outgoing = new Map()
    for (const [id, parts] of sending) outlet.send(id, parts)
  }

  /** Puts an answer on its way; a notification goes to everyone who listens for it. */
  function deliver(connection: Connection, parts: Buffer[]): void {
    const own = parts.filter((part) => wire.typeOf(part) !== 'A')
    const news = parts.filter((part) => wire.typeOf(part) === 'A')
    for (const one of news) {
      outlet.heard(wire.channelOf(one))
      for (const listener of connections.values()) {
        if (listener !== connection && listener.channels.has(wire.channelOf(one))) {
          send(listener.id, one)
        }
      }
    }
    // Before its ReadyForQuery, as a server would.
    const heard = news.filter((one) => connection.channels.has(wire.channelOf(one)))
    if (heard.length > 0) own.splice(-1, 0, ...heard)
    if (own.length > 0) send(connection.id, ...own)
  }

  function endBatch(connection: Connection, end: ReturnType<typeof wire.endOf>): void {
    if (end.dead) throw new Error('the session has ended')
    if (!owner && end.status === 'I') answered = { at: performance.now(), to: connection }
    owner = end.status === 'I' ? null : connection
    if (owner) ownerTimer = setTimeout(expire, limits.idleInTransactionMs, connection)
  }

  function unlisten(connection: Connection, channel: string): void {
    if (channel === '*') connection.channels.clear()
    else connection.channels.delete(channel)
    const status = wire.readyForQuery(owner ? 'T' : 'I')
    send(connection.id, wire.commandComplete('UNLISTEN'), status)
  }

  function expire(connection: Connection): void {
    const reason = 'the transaction lay idle for too long and was rolled back'
    outlet.send(connection.id, [wire.fatal('25P03', reason)])
    drop(connection.id)
    outlet.close(connection.id)
  }

  function drop(id: number): void {
    const connection = connections.get(id)
    if (!connection) return
    connections.delete(id)
    for (let at = queue.length - 1; at >= 0; at--) {
      if (queue[at]?.connection === connection) queue.splice(at, 1)
    }
    if (owner === connection) {
      clearTimeout(ownerTimer)
      owner = null
      // The Sync ends a batch that was cut short; outside a transaction both do nothing.
      execute(wire.sync)
      execute(wire.query('rollback'))
    }
    schedule()
  }

  /** Answers the messages that come before the start-up, and the start-up itself. */
  function greet(connection: Connection, message: Buffer): void {
    const code = message.readInt32BE(4)
    if (code === wire.SSL_REQUEST || code === wire.GSS_REQUEST) {
      return outlet.send(connection.id, [Buffer.from('N')])
    }
    if (code === wire.CANCEL_REQUEST) return outlet.close(connection.id)
    connection.greeted = true
    outlet.send(connection.id, [wire.welcome(connection.id)])
  }

  function accept(connection: Connection, message: Buffer): void {
    const type = wire.typeOf(message)
    if (type === 'X') return drop(connection.id)
    if (COPY_PARTS.has(type)) return
    connection.pending.push(message)
    if (!BOUNDARIES.has(type)) return
    const messages = connection.pending
    const opens = /^\s*(begin|start)\b/i.test(wire.statementOf(messages[0] ?? message))
    queue.push({ connection, messages, opens, sinceMs: performance.now() })
    connection.pending = []
  }

  function receive(id: number, bytes: Buffer): void {
    const fresh = {
      id,
      greeted: false,
      rest: Buffer.alloc(0),
      pending: [],
      channels: new Set<string>(),
    }
    const connection: Connection = connections.get(id) ?? fresh
    connections.set(id, connection)
    connection.rest = connection.rest.length ? Buffer.concat([connection.rest, bytes]) : bytes
    for (;;) {
      const typed = connection.greeted
      const { messages, rest } = wire.cutMessages(connection.rest, typed)
      connection.rest = rest
      for (const message of messages) {
        if (typed) accept(connection, message)
        else greet(connection, message)
      }
      if (typed || messages.length === 0) break
    }
    // A single batch runs at once: waiting for the next turn would delay every statement by a turn.
    if (!draining) drain()
  }

  return { receive, drop }
}

/** A COPY would read past the bytes that arrived, and break the session. */
const REFUSE_COPY = wire.query(
  "do $$ begin raise exception 'copy from stdin is not available on the embedded database' " +
    "using errcode = '0A000'; end $$",
)
