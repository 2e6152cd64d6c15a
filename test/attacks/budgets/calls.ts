/** One call over any of the surfaces: a tool, a message of the protocol, a hook, a page of the console. */
import { CLIENTS } from '../../../src/hooks/clients.ts'
import { HOOKS, PREFIX } from '../../../src/hooks/hooks.ts'
import { FIELDS, TOKENS } from '../../../src/hooks/payload.ts'
import type { Shape } from '../../../src/kernel/schema/shape.ts'
import { catalog } from '../../../src/mcp/catalog.ts'
import { INITIALIZE, STATELESS_META } from '../../helpers/wire.ts'
import type { Random } from '../attack.ts'
import { anyArguments } from './arguments.ts'
import { anySize, anyText, anyWord, type Made } from './sizes.ts'
import type { Stock } from './stock.ts'

export interface Call {
  /** The tool, the method, the hook or the page, for a reader. */
  what: string
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** In what the body is sent; `tool`: it is the arguments of the tool `what`. */
  as: 'tool' | 'json' | 'form' | 'bytes' | 'nothing'
  body: Made
  query: Made
  headers: Made
}

/** Seven of ten are calls of tools. */
export function anyCall(random: Random, stock: Stock): Call {
  const kind = random.int(20)
  if (kind < 14) return toolCall(random, stock)
  if (kind < 16) return hookCall(random)
  if (kind < 19) return pageCall(random, stock)
  return message(random)
}

function toolCall(random: Random, stock: Stock): Call {
  const { name } = random.pick(catalog)
  const body = anyArguments(name, random, stock)
  return { what: name, method: 'POST', path: '/api/mcp', as: 'tool', body, query: {}, headers: {} }
}

/** A header may have so many bytes, all together. */
const HEADER_BYTES = 60_000
const HEADERS = [
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'content-type'],
  ...['loam-process', 'loam-session', 'loam-directory', 'loam-repo', 'loam-root', 'loam-client'],
  ...['last-event-id', 'cookie', 'origin', 'if-none-match', 'accept-language', 'x-forwarded-for'],
]

/** Visible ASCII, as Node lets it pass. */
function anyHeader(random: Random): Made {
  const of = random.pick([
    'a',
    ',',
    ';',
    '=',
    ' a',
    '1:2:',
    '1:2:3,4,',
    '%',
    '%41',
    '%E7%8C%AB',
    'a=b; ',
    '"',
  ])
  const bytes = anySize(random, HEADER_BYTES)
  return {
    make: 'text',
    of,
    times: Math.ceil(bytes / of.length),
    before: random.pick(['', 'x~1:2:']),
  }
}

const someHeaders = (random: Random): Made =>
  Object.fromEntries(
    Array.from({ length: random.int(3) }, () => [random.pick(HEADERS), anyHeader(random)]),
  )

const METHODS = [
  'initialize',
  'tools/list',
  'tools/call',
  'ping',
  'server/discover',
  'resources/list',
]

/** JSON-RPC that is right or wrong in any way, and bodies that are none. */
function message(random: Random): Call {
  const bytes = anySize(random)
  const text = (): Made => anyText(random, bytes)
  const deep = (): Made => ({ make: 'deep', times: Math.ceil(bytes / 7), seed: random.int(2) })
  const rpc = (method: Made, params: Made, id: Made = 1): Made => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  })
  const body = random.pick<() => Made>([
    () => rpc(text(), {}),
    () => rpc(random.pick(METHODS), {}, text()),
    () => rpc('tools/list', { cursor: text() }),
    () => rpc('tools/list', deep()),
    () => rpc('tools/call', { name: text() }),
    () => rpc('tools/call', { name: 'recall', arguments: { query: 'q' }, _meta: deep() }),
    () => rpc('tools/call', { name: 'recall', arguments: deep() }),
    () =>
      rpc('tools/call', { name: 'recall', arguments: { query: 'q', _loam: { session: text() } } }),
    () => rpc('tools/call', { name: 'recall', _meta: { 'x-codex-turn-metadata': text() } }),
    () => rpc('tools/call', { name: 'project_list', _meta: { ...STATELESS_META, a: text() } }),
    () =>
      rpc('initialize', { ...INITIALIZE.params, clientInfo: { name: text(), version: text() } }),
    () => rpc('initialize', { ...INITIALIZE.params, capabilities: deep() }),
    () => rpc(random.pick(METHODS), { make: 'wide', times: Math.ceil(bytes / 14), of: 1 }),
    () => ({ make: 'list', times: Math.ceil(bytes / 60), of: rpc('ping', {}) }),
    () => ({ jsonrpc: '2.0', id: 1, result: deep() }),
    () => text(),
  ])()
  const as = random.int(4) === 0 ? 'bytes' : 'json'
  const headers = someHeaders(random)
  return { what: 'a message', method: 'POST', path: '/api/mcp', as, body, query: {}, headers }
}

const PLAN = '/home/alice/.claude/plans/harbour.md'

/** A payload by the fields that a hook reads; up to its own limit, which is larger. */
function hookCall(random: Random): Call {
  const { name } = random.pick(HOOKS)
  const bytes = random.int(10) === 0 ? 7_000_000 : anySize(random)
  const fields = Object.entries({ ...FIELDS.sent, ...FIELDS.extracted })
  const hostile = random.pick(fields)[0]
  const payload: Record<string, Made> = {
    session_id: `s${random.int(30)}`,
    ...Object.fromEntries(
      fields
        .filter(([field]) => field === hostile || random.int(3) === 0)
        .map(([field, shape]) => [
          field,
          field === hostile ? anyField(shape as Shape, random, bytes) : plainField(field, random),
        ]),
    ),
  }
  const more = random.int(12)
  if (more === 0)
    payload['gone'] = { make: 'list', times: Math.ceil(bytes / 50), of: GONE, numbered: true }
  if (more === 1)
    payload['tokens'] = Object.fromEntries(Object.keys(TOKENS).map((each) => [each, 1e300]))
  if (more === 2) Object.assign(payload, planEdit(random, bytes))
  const body: Made = more === 3 ? { make: 'deep', times: Math.ceil(bytes / 7) } : payload
  const path = `${PREFIX}/${name}`
  const query: Made = { client: random.int(20) === 0 ? anyWord(random) : random.pick(CLIENTS) }
  const as = more === 4 ? 'bytes' : 'json'
  return { what: name, method: 'POST', path, as, body, query, headers: {} }
}

const GONE: Made = { client: 'codex', session_id: 's' }

/** An edit of a plan that the service carries out by itself. */
function planEdit(random: Random, bytes: number): Record<string, Made> {
  const from = random.pick(['q', ' ', 'a', '\n'])
  return {
    tool_name: 'Edit',
    tool_input: {
      file_path: PLAN,
      old_string: from,
      new_string: { make: 'text', of: 'x', times: Math.min(bytes, 20_000) },
      replace_all: true,
    },
    tool_response: { originalFile: { make: 'text', of: from, times: Math.min(bytes, 400_000) } },
  }
}

const anyField = ({ type }: Shape, random: Random, bytes: number): Made =>
  type === 'string' || random.int(2) === 0
    ? anyText(random, bytes)
    : { file_path: PLAN, content: anyText(random, bytes), plan: anyText(random, 1_000) }

function plainField(field: string, random: Random): Made {
  switch (field) {
    case 'cwd':
    case 'repo_root':
      return `/home/alice/${random.pick(['atlas', 'delta'])}`
    case 'tool_name':
      return random.pick(['Write', 'Edit', 'ExitPlanMode'])
    case 'tool_input':
      return { file_path: PLAN, content: '# Harbour\n\n- one', plan: '# Harbour' }
    case 'process':
      return 'ab'.repeat(16)
    case 'source':
      return random.pick(['startup', 'resume', 'clear', 'compact'])
    default:
      return `words ${random.int(20)}`
  }
}

/** Pages, their parameters and their forms. */
const PAGES = [
  ...['/console/', '/console/notes', '/console/sessions', '/console/search', '/console/login'],
  ...[
    '/console/notes/:note',
    '/console/notes/:note',
    '/console/sessions/:session',
    '/console/events/:event',
  ],
  ...['/healthz', '/console/static/console.css', '/console/nowhere'],
]
const PARAMETERS = [
  'q',
  'sort',
  'page',
  'scope',
  'fast',
  'status',
  'window',
  'notice',
  'error',
  'next',
  'feed',
]

function pageCall(random: Random, stock: Stock): Call {
  const named = random
    .pick(PAGES)
    .replace(/:(\w+)/, (_, kind: string) => stock.pathOf(kind, random))
  const odd = random.int(12) === 0
  const path = odd ? `/console/${encodeURIComponent(anyWord(random).slice(0, 200))}` : named
  const word = (): Made =>
    random.int(3) === 0 ? anyWord(random) : anyText(random, anySize(random, 8_000))
  const query = Object.fromEntries([
    ...Array.from({ length: random.int(4) }, () => [random.pick(PARAMETERS), word()] as const),
    ...(random.int(2) === 0
      ? [[random.pick(['peek', 'reader', 'format']), random.pick(['1', 'json'])]]
      : []),
  ]) as Made
  const call: Call = {
    what: path,
    method: 'GET',
    path,
    as: 'nothing',
    body: null,
    query,
    headers: someHeaders(random),
  }
  if (random.int(5) > 0) return call
  const target = random.pick(['/console/login', '/console/logout', '/console/tasks/:task/release'])
  const to = target.replace(/:(\w+)/, (_, kind: string) => stock.pathOf(kind, random))
  const bytes = anySize(random, 60_000)
  const form = random.pick<() => Made>([
    () => ({ key: anyText(random, bytes / 6), next: anyWord(random) }),
    () => ({ next: anyText(random, bytes / 6) }),
    () => ({ make: 'wide', times: Math.ceil(bytes / 8), of: '1' }),
    () => ({
      make: 'text',
      of: random.pick(['&', '=', '%', 'a=&', '%E7', 'a[b]=1&', '+']),
      times: bytes / 4,
    }),
  ])()
  return { ...call, what: `POST ${to}`, method: 'POST', path: to, as: 'form', body: form }
}
