import { Agent, type Dispatcher, request } from 'undici'
import type { Client } from '../../config/client.ts'
import { forbidden, Refusal, unavailable } from '../../kernel/refusal.ts'

/** The error code of an answer that the bridge gives for a service it cannot reach. */
const UNREACHABLE = -32000
const PARSE_ERROR = -32700

/** Between two attempts to reach the service: at first, and at most. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000
/** For telling the service that a connection ends. */
const LEAVE_MS = 2_000

interface Frame {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: { protocolVersion?: string; name?: unknown; _meta?: Record<string, unknown> }
}

interface Options {
  client: Client
  /** Lines of JSON-RPC from the client that started us. */
  input: AsyncIterable<Buffer | string>
  /** Takes one line, without its end. */
  output(line: string): void
  /** How long a service that once answered may stay away: a restart must not be noticed. */
  patienceMs?: number
}

/**
 * Forwards newline-framed JSON-RPC to the service and its answers back, unchanged and in order.
 *
 * A connection the service no longer knows is opened again with the client's own `initialize`. What
 * cannot have reached the service is sent again; a call that was cut off in the middle is answered
 * with an error, since repeating it could do it twice. Ends when the input ends.
 */
export async function bridge({
  client,
  input,
  output,
  patienceMs = 30_000,
}: Options): Promise<void> {
  const link = new Link(client, patienceMs)
  try {
    for await (const line of framed(input)) {
      for await (const answer of link.forward(line)) output(answer)
    }
    await link.leave()
  } finally {
    await link.close()
  }
}

/** One connection to the service, and what is needed to open it again. */
class Link {
  readonly #client: Client
  readonly #patienceMs: number
  readonly #agent = new Agent({ connect: { timeout: 5000 }, headersTimeout: 0, bodyTimeout: 0 })
  #session = ''
  #version = ''
  #opening = ''
  #answered = false

  constructor(client: Client, patienceMs: number) {
    this.#client = client
    this.#patienceMs = patienceMs
  }

  /** Sends one frame and yields the frames that come back. */
  async *forward(line: string): AsyncGenerator<string> {
    const frame = parsed(line)
    if (!frame) {
      yield failure(null, PARSE_ERROR, 'Parse error: the line is not one JSON object')
      return
    }
    const isCall = frame.method !== undefined && frame.id !== undefined
    const own = headersOf(frame)
    try {
      if (own) yield* this.#relay(await this.#post(line, own), frame)
      else if (frame.method === 'initialize') yield* this.#open(line, frame)
      else yield* this.#relay(await this.#send(line), frame)
    } catch (error) {
      if (!isAway(error) || !this.#answered) throw error
      if (isCall) yield failure(frame.id, UNREACHABLE, error.message)
    }
  }

  /** Ends the connection. The service forgets an unused one by itself as well. */
  async leave(): Promise<void> {
    if (!this.#session) return
    const headers = await this.#headers().catch(() => undefined)
    if (!headers) return
    const signal = AbortSignal.timeout(LEAVE_MS)
    const options = { method: 'DELETE', headers, dispatcher: this.#agent, signal } as const
    await request(this.#address, options).catch(() => {})
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async *#open(line: string, frame: Frame): AsyncGenerator<string> {
    this.#opening = line
    this.#session = ''
    this.#version = ''
    const answer = await this.#post(line)
    this.#session = first(answer.headers['mcp-session-id'])
    for await (const text of this.#relay(answer, frame)) {
      const { result } = (parsed(text) ?? {}) as { result?: { protocolVersion?: string } }
      this.#version = result?.protocolVersion ?? this.#version
      yield text
    }
  }

  /** Posts on the current connection; on a new one when the service no longer knows it. */
  async #send(line: string): Promise<Dispatcher.ResponseData> {
    const answer = await this.#post(line)
    if (answer.statusCode !== 404 || !this.#opening) return answer
    await answer.body.dump()
    for await (const _ of this.#open(this.#opening, {}));
    const ready = await this.#post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    await ready.body.dump()
    return this.#post(line)
  }

  /** With headers of its own the frame belongs to no connection. */
  async #post(line: string, own?: Record<string, string>): Promise<Dispatcher.ResponseData> {
    const until = performance.now() + (this.#answered ? this.#patienceMs : 0)
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const options = { method: 'POST', body: line, dispatcher: this.#agent } as const
        const headers = { ...(await this.#headers(own === undefined)), ...own }
        const answer = await request(this.#address, { ...options, headers })
        if (answer.statusCode === 401 || answer.statusCode === 403)
          throw await this.#refused(answer)
        this.#answered = true
        return answer
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (!code) throw error
        if (!NOT_SENT.has(code)) throw unavailable(`${this.#client.url}: ${CUT_OFF} (${code})`)
        if (performance.now() >= until)
          throw unavailable(`${this.#client.url}: the service cannot be reached (${code})`)
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }

  async *#relay(answer: Dispatcher.ResponseData, frame: Frame): AsyncGenerator<string> {
    const type = first(answer.headers['content-type'])
    if (type.startsWith('text/event-stream')) {
      yield* this.#events(answer)
      return
    }
    const text = (await this.#whole(answer)).trim()
    if (text === '') {
      if (answer.statusCode >= 300 && frame.id !== undefined)
        yield failure(frame.id, UNREACHABLE, `the service answered ${answer.statusCode}`)
      return
    }
    const body = parsed(text)
    if (!body) {
      yield failure(frame.id, UNREACHABLE, `the service answered ${answer.statusCode}, not JSON`)
    } else if (body.id === null && frame.id !== undefined) {
      yield JSON.stringify({ ...body, id: frame.id })
    } else yield JSON.stringify(body)
  }

  /** The `data:` of each server-sent event, one line each. */
  async *#events(answer: Dispatcher.ResponseData): AsyncGenerator<string> {
    let data: string[] = []
    for await (const line of framed(this.#body(answer), true)) {
      if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
      if (line !== '' || data.length === 0) continue
      yield data.join(' ')
      data = []
    }
  }

  async #whole(answer: Dispatcher.ResponseData): Promise<string> {
    const parts: Buffer[] = []
    for await (const part of this.#body(answer)) parts.push(part)
    return Buffer.concat(parts).toString('utf8')
  }

  async *#body(answer: Dispatcher.ResponseData): AsyncGenerator<Buffer> {
    try {
      for await (const part of answer.body) yield part as Buffer
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      throw unavailable(`${this.#client.url}: ${CUT_OFF} (${code})`)
    }
  }

  async #headers(connected = true): Promise<Record<string, string>> {
    return {
      authorization: `Bearer ${await this.#client.key()}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(connected && this.#session && { 'mcp-session-id': this.#session }),
      ...(connected && this.#version && { 'mcp-protocol-version': this.#version }),
    }
  }

  async #refused(answer: Dispatcher.ResponseData): Promise<Error> {
    await answer.body.dump()
    const why = answer.statusCode === 401 ? 'the key is wrong' : 'this host name is not allowed'
    return forbidden(`${this.#client.url}: the service refused the connection: ${why}`)
  }

  get #address(): string {
    return `${this.#client.url}/api/mcp`
  }
}

const CUT_OFF = 'the connection was lost; whether the call took effect is not known'

/** Errors before a byte of the request can have arrived. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether a frame could not be sent, or its answer did not come back. */
const isAway = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.kind === 'unavailable'

/** Returns the headers of a frame that names its own protocol version; undefined for other frames. */
function headersOf({ method, params }: Frame): Record<string, string> | undefined {
  const version = params?.['_meta']?.['io.modelcontextprotocol/protocolVersion']
  if (typeof version !== 'string' || method === undefined) return undefined
  const name = method === 'tools/call' ? params?.name : undefined
  return {
    'mcp-protocol-version': inHeader(version),
    'mcp-method': inHeader(method),
    ...(typeof name === 'string' && { 'mcp-name': inHeader(name) }),
  }
}

/** Encodes a text that is more than visible ASCII, so that a header can hold it. */
const inHeader = (text: string): string =>
  /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

const first = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header[0] : header) ?? ''

const failure = (id: Frame['id'], code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })

function parsed(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Lines as bytes end them: a line of JSON may hold any other character that some call an end. */
async function* framed(
  input: AsyncIterable<Buffer | string>,
  keepEmpty = false,
): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const part of input) {
    rest = Buffer.concat([rest, Buffer.from(part)])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString('utf8').replace(/\r$/, '')
      rest = rest.subarray(end + 1)
      if (keepEmpty || line.trim() !== '') yield line
    }
  }
  const last = rest.toString('utf8')
  if (last.trim() !== '') yield last
}
