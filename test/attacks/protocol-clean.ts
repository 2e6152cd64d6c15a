import { headersWith, openWire, send, type Sending } from '../helpers/wire.ts'
import { defineAttack, inParallel, none, type Random } from './attack.ts'
import { startProduct } from './product.ts'

const STATUSES = new Set([200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 429])
const TELLTALES = /node_modules|\.ts:\d|at \w+ \(|select .* from|stack|\/work\/|\/home\//i

/** Whatever is sent: the answer is one JSON-RPC object, of a known status, and tells nothing of our inside. */
export const protocolClean = defineAttack({
  id: 'P5',
  title: 'every answer is JSON-RPC shaped, whatever was sent',
  rounds: 20_000,

  async run({ rounds, random, log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    const wrong: unknown[] = []
    const seen = new Map<number, number>()

    await inParallel(rounds, 8, async () => {
      const sending = anything(random, wire.id, product.key)
      const reply = await send(product.url, sending)
      seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1)
      const { jsonrpc, id, result, error } = (reply.body ?? {}) as Record<string, unknown>
      const shaped =
        reply.status === 202 || sending.method === 'HEAD'
          ? reply.text === ''
          : jsonrpc === '2.0' &&
            id !== undefined &&
            (result === undefined) !== (error === undefined)
      const ours = !shaped || !STATUSES.has(reply.status) || TELLTALES.test(reply.text)
      if (ours) wrong.push({ sending, status: reply.status, text: reply.text.slice(0, 300) })
    })
    log(JSON.stringify(Object.fromEntries(seen)))
    none(wrong, 'an answer that is not as it must be')
    const health = await send(product.url, { path: '/healthz' })
    if (health.status !== 200) throw new Error(`afterwards /healthz says ${health.status}`)
  },
})

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'notifications/x',
  '',
]
const TOOLS = ['notes_read', 'notes_create', 'recall', 'project_list', 'nope', '__proto__', '']

function anything(random: Random, connection: string, key: string): Sending {
  const headers: Record<string, string | undefined> = {
    ...headersWith(key),
    'mcp-session-id': connection,
  }
  const { int, pick } = random
  if (int(8) === 0) headers[pick(Object.keys(headers))] = pick([undefined, '', 'x', '*/*', '0'])
  if (int(12) === 0)
    headers['mcp-protocol-version'] = pick([
      '2025-06-18',
      '1.0',
      'ü'.normalize('NFD').replace(/\W/g, 'x'),
    ])
  if (int(12) === 0) headers['origin'] = pick(['null', 'http://evil.example', 'http://localhost'])
  const method = int(12) === 0 ? pick(['PUT', 'PATCH', 'OPTIONS', 'HEAD']) : 'POST'
  return { method, path: '/api/mcp', headers, body: anyBody(random), chunked: int(3) === 0 }
}

function anyBody(random: Random): string {
  const { int, pick } = random
  const message: Record<string, unknown> = {
    jsonrpc: pick(['2.0', '2.0', '2.0', '1.0', 2]),
    id: anyValue(random, 1),
    method: int(10) === 0 ? anyValue(random, 1) : pick(METHODS),
    params:
      int(4) === 0
        ? anyValue(random, 3)
        : { name: pick(TOOLS), arguments: anyValue(random, 3), cursor: anyValue(random, 0) },
  }
  if (int(6) === 0) delete message[pick(Object.keys(message))]
  const json = JSON.stringify(int(12) === 0 ? [message] : message)
  if (int(10) > 0) return json
  const at = int(json.length)
  return json.slice(0, at) + random.text(3) + json.slice(at + int(4))
}

function anyValue(random: Random, depth: number): unknown {
  const { int, pick, text } = random
  switch (int(depth > 0 ? 8 : 6)) {
    case 0:
      return null
    case 1:
      return pick([0, -1, 1.5, 2 ** 60, 1e308, true, false])
    case 2:
      return undefined
    case 6:
      return Array.from({ length: int(4) }, () => anyValue(random, depth - 1))
    case 7: {
      const names = ['id', 'title', 'body', 'text', 'project', 'tags', 'edits', 'query', text(4)]
      const entries = Array.from({ length: int(4) }, () => [
        pick(names),
        anyValue(random, depth - 1),
      ])
      return Object.fromEntries(entries) as unknown
    }
    default:
      return text(pick([3, 30, 300]))
  }
}
