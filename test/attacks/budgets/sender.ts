/** Sends calls to a product and keeps in mind what came to lie there. */
import { request } from 'node:http'
import { headersWith, openWire, type Wire } from '../../helpers/wire.ts'
import type { Product } from '../product.ts'
import type { Call } from './calls.ts'
import { FIRST } from './first.ts'
import { grow, jsonOf } from './sizes.ts'
import { Stock } from './stock.ts'

/** A call that is not answered by then never is. */
const ANSWERED_MS = 60_000
const MIB = 1_048_576
/** The stream of events does not end by itself. */
const STREAMED_MS = 50

export interface Sent {
  /** What is wrong with the answer; undefined: nothing. */
  wrong?: string
  /** Of the body, in bytes. */
  size: number
}

export class Sender {
  readonly #product: Product
  #wire: Wire
  readonly stock = new Stock()

  private constructor(product: Product, wire: Wire) {
    this.#product = product
    this.#wire = wire
  }

  static async open(product: Product): Promise<Sender> {
    const sender = new Sender(product, await openWire(product))
    for (const [tool, args] of FIRST) await sender.tool(tool, args)
    return sender
  }

  async send(call: Call): Promise<Sent> {
    const bytes = this.#bytes(call)
    const size = Buffer.byteLength(bytes ?? '')
    const reply = await this.#send(call, bytes).catch((error: Error) => error.message)
    // What is too large may be refused before all of it was sent.
    if (typeof reply === 'string') return size > MIB ? { size } : { wrong: reply, size }
    if (call.as === 'tool') await this.#remember(call.what, reply.body)
    const isOurs = reply.status >= 500 || reply.text.includes('internal error')
    return { ...(isOurs && { wrong: `${reply.status} ${reply.text.slice(0, 300)}` }), size }
  }

  /** Calls a tool with arguments as they are meant. */
  async tool(name: string, args: object): Promise<Record<string, any>> {
    const reply = await this.#wire.ask('tools/call', { name, arguments: args })
    if (reply.body?.result?.isError !== false && !reply.body?.result?.structuredContent)
      throw new Error(`${name}: ${reply.text.slice(0, 500)}`)
    await this.#remember(name, reply.body)
    return reply.body.result.structuredContent as Record<string, any>
  }

  #bytes({ as, what, body }: Call): string | undefined {
    const grown = as === 'nothing' ? undefined : this.stock.fill(grow(body))
    switch (as) {
      case 'nothing':
        return undefined
      case 'tool': {
        const params = { name: what, arguments: grown }
        return jsonOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      }
      case 'form':
        return typeof grown === 'string'
          ? grown
          : new URLSearchParams(grown as Record<string, string>).toString()
      case 'bytes':
        return typeof grown === 'string' ? grown : jsonOf(grown).slice(0, -1)
      case 'json':
        return jsonOf(grown)
    }
  }

  #send({ method, path, as, query, headers }: Call, body: string | undefined): Promise<Heard> {
    const search = new URLSearchParams(grow(query) as Record<string, string>).toString()
    const type = as === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
    return exchange(this.#product.url, {
      method,
      path: this.stock.fillPath(path) + (search && `?${search}`),
      headers: {
        ...headersWith(this.#product.key),
        ...(path === '/api/mcp' && { 'mcp-session-id': this.#wire.id }),
        'content-type': type,
        ...(grow(headers) as Record<string, string>),
      },
      body,
    })
  }

  async #remember(tool: string, body: any): Promise<void> {
    const answer = body?.result?.structuredContent as Record<string, unknown> | undefined
    if (!answer) return
    const { id, name, claim_token } = answer
    if (tool === 'notes_create' && typeof id === 'string') {
      const old = this.stock.add('note', id)
      if (old) await this.#wire.ask('tools/call', { name: 'notes_delete', arguments: { id: old } })
    }
    if (tool === 'memory_write' && typeof name === 'string') this.stock.add('memory', name)
    if (tool === 'tasks_add' && typeof id === 'string') this.stock.add('task', id)
    if (tool === 'trial_record' && typeof id === 'string') this.stock.add('trial', id)
    if (tool === 'session_start' && typeof id === 'string') this.stock.add('session', id)
    if (typeof claim_token === 'string') this.stock.add('token', claim_token)
    if (tool === 'notes_delete' && typeof id === 'string') this.stock.remove('note', id)
  }
}

interface Heard {
  status: number
  text: string
  /** As JSON, when it is. */
  body: any
}

/** One request. An answer that does not end is left after a moment. */
function exchange(
  url: string,
  {
    method,
    path,
    headers,
    body,
  }: Pick<Call, 'method' | 'path'> & { headers: Record<string, string>; body: string | undefined },
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const options = {
      hostname,
      port,
      path,
      method,
      headers,
      agent: false,
      timeout: ANSWERED_MS,
      maxHeaderSize: 262_144,
    }
    const asking = request(options, (answer) => {
      const { statusCode: status = 0, headers } = answer
      const chunks: Buffer[] = []
      const end = (): void => {
        const text = Buffer.concat(chunks).toString('utf8')
        const isJson = headers['content-type']?.includes('json') === true && answer.complete
        resolve({ status, text, body: isJson && text !== '' ? JSON.parse(text) : undefined })
        asking.destroy()
      }
      if (headers['content-type']?.includes('event-stream')) setTimeout(end, STREAMED_MS)
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', end)
      answer.on('error', reject)
    })
    asking.on('timeout', () => asking.destroy(new Error('no answer within a minute')))
    asking.on('error', reject)
    asking.end(body)
  })
}
