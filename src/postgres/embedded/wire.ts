/**
 * PostgreSQL's wire protocol, version 3, as far as the multiplexer has to see into it.
 *
 * A message is one type byte, its length in four bytes (which count themselves) and the rest. The
 * first message of a connection has no type byte.
 */

export const SSL_REQUEST = 80877103
export const GSS_REQUEST = 80877104
export const CANCEL_REQUEST = 80877102

/** The longest message a client may send: what a parameter of a few hundred MiB could need. */
const MAX_MESSAGE = 512 * 1024 * 1024

/** Cuts whole messages off the front of `bytes`. `typed` is false before the start-up message. */
export function cutMessages(bytes: Buffer, typed: boolean): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = []
  const head = typed ? 1 : 0
  let at = 0
  while (bytes.length - at >= head + 4) {
    const length = bytes.readInt32BE(at + head)
    if (length < 4 || length > MAX_MESSAGE) throw new Error('a message of an impossible length')
    if (bytes.length - at < head + length) break
    messages.push(bytes.subarray(at, at + head + length))
    at += head + length
    if (!typed) break
  }
  return { messages, rest: bytes.subarray(at) }
}

/**
 * The parts, one after the other, in memory of their own, which can be handed to another thread. What is handed over as
 * it is takes all of the memory along that it shares with others: 64 KiB of a small buffer of Node's.
 */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export const typeOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0)

/** The text of a simple query or of a statement to parse, or '' for any other message. */
export function statementOf(message: Buffer): string {
  const type = typeOf(message)
  if (type === 'Q') return message.toString('utf8', 5, message.length - 1)
  if (type !== 'P') return ''
  const start = message.indexOf(0, 5) + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}

/** A batch that parses, binds and runs one statement without a name. */
export interface OneStatement {
  /** Its text and the types of its parameters. */
  key: string
  /** The same batch for a statement of that name. */
  named(name: string): [parse: Buffer, bind: Buffer, ...rest: Buffer[]]
}

/** The statement of a batch, if it is one as a client sends it that keeps none itself. */
export function oneStatement(messages: readonly Buffer[]): OneStatement | undefined {
  const [parse, bind, ...rest] = messages
  if (!parse || !bind || messages.map(typeOf).join('') !== 'PBDES') return undefined
  // Neither the statement nor the portal has a name.
  if (parse[5] !== 0 || bind[5] !== 0 || bind[6] !== 0) return undefined
  return {
    key: parse.toString('latin1', 6),
    named: (name) => [
      message('P', text(name), parse.subarray(6)),
      message('B', text('', name), bind.subarray(7)),
      ...rest,
    ],
  }
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const text = (...values: readonly string[]): Buffer =>
  Buffer.from(values.map((value) => `${value}\0`).join(''))

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** What the session's transaction is: none, open, or failed and waiting for its rollback. */
export type TransactionStatus = 'I' | 'T' | 'E'

export const query = (statement: string): Buffer => message('Q', text(statement))
export const sync = message('S')
export const parseComplete = message('1')
export const closeStatement = (name: string): Buffer => message('C', Buffer.from('S'), text(name))
export const readyForQuery = (status: TransactionStatus): Buffer =>
  message('Z', Buffer.from(status))
export const commandComplete = (tag: string): Buffer => message('C', text(tag))

/** What a server says before the first query: accepted, its settings, its name, ready. */
export const welcome = (connection: number): Buffer =>
  Buffer.concat([
    message('R', number(0)),
    message('S', text('client_encoding', 'UTF8')),
    message('S', text('standard_conforming_strings', 'on')),
    message('K', number(connection), number(0)),
    readyForQuery('I'),
  ])

export const fatal = (code: string, reason: string): Buffer =>
  message('E', text('SFATAL', 'VFATAL', `C${code}`, `M${reason}`), Buffer.alloc(1))

/** How an answer ended: its last transaction status, and whether the session itself has died. */
export function endOf(answer: readonly Buffer[]): {
  status: TransactionStatus | null
  dead: boolean
} {
  const last = answer.at(-1)
  const ready = last && typeOf(last) === 'Z'
  return {
    status: ready ? (last.toString('latin1', 5, 6) as TransactionStatus) : null,
    dead: answer.some((one) => typeOf(one) === 'E' && /\0V(FATAL|PANIC)\0/.test(one.toString())),
  }
}

/** The channel of a notification. */
export const channelOf = (notification: Buffer): string =>
  notification.toString('utf8', 9, notification.indexOf(0, 9))
