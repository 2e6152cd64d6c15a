/** What is ours in a client's files: by its mark, by our program, or by our exact address. */
import { isObject } from './edit/members.ts'
import { MARK } from './edit/lists.ts'

/** A program of ours at any place, since a checkout may have moved, with the words that only we write. */
const PROGRAM = String.raw`(?:^|[\s'"/\\])loam(?:-hook)?(?:\.mjs)?['"]?`
const HOOK = new RegExp(String.raw`${PROGRAM}\s+hook\s+[a-z-]+\s+--config\s`)
const SERVER = new RegExp(String.raw`${PROGRAM}\s+(?:bridge|mcp-headers)\s+--config\s`)

/** Whether a hook is ours. `url` is the address of the service. */
export function isOurHook(handler: unknown, url: string): boolean {
  if (!isObject(handler)) return false
  const ours = `${url}/api/hooks/`
  const called = handler['url']
  if (typeof called === 'string' && url !== '' && called.startsWith(ours))
    return /^[a-z-]+$/.test(called.slice(ours.length))
  return HOOK.test(lineOf(handler))
}

/** Whether an entry with a list of hooks is ours alone. */
export function isOurEntry(entry: unknown, url: string): boolean {
  if (!isObject(entry)) return false
  const hooks = handlersOf(entry)
  if (entry[MARK] === true) return hooks.every((each) => hooks.length < 2 || isOurHook(each, url))
  return hooks.length === 1 && isOurHook(hooks[0], url)
}

/** In an entry of ours to which somebody added hooks: our hooks, and our mark. */
export function oursWithin(entry: unknown, url: string): (string | number)[][] {
  if (!isObject(entry) || entry[MARK] !== true || isOurEntry(entry, url)) return []
  const places = handlersOf(entry).flatMap((each, at) => (isOurHook(each, url) ? [at] : []))
  return [[MARK], ...places.map((at) => ['hooks', at])]
}

/** Whether an MCP server is ours: our bridge, our helper, or the service itself. */
export function isOurServer(server: unknown, url: string): boolean {
  if (!isObject(server)) return false
  const address = server['url'] ?? server['httpUrl']
  return SERVER.test(lineOf(server)) || (url !== '' && address === `${url}/api/mcp`)
}

/** Whether a server is given a key in plain text, and not by the name of a variable. */
export function holdsKey(server: unknown): boolean {
  const headers =
    isObject(server) && isObject(server['headers']) ? Object.values(server['headers']) : []
  return headers.some((value) => /^Bearer (?!.*[${])/.test(String(value)))
}

const handlersOf = ({ hooks }: Record<string, unknown>): unknown[] =>
  Array.isArray(hooks) ? hooks : []

const lineOf = ({ command, args, headersHelper }: Record<string, unknown>): string =>
  [command, args, headersHelper].flat().filter(Boolean).join(' ')
