/** The socket of the clients: what a client is, and what its files have in common with others'. */
import type { Machine } from '../../machine.ts'
import type { Lists, Member, Sheet } from './edit/parts.ts'
import { MARK } from './edit/lists.ts'
import { forThisShell } from './lines.ts'
import { holdsKey, isOurEntry, isOurHook, isOurServer, oursWithin } from './ours.ts'
import { commandOf, type Way } from './way.ts'

export type Where = Pick<Machine, 'env'>

/** What is asked for beside the hooks. */
export interface Wish {
  /** The tools are allowed without a question each time. */
  allow: boolean
  /** A file of the client that lies elsewhere, by what it is. */
  elsewhere: { settings?: string; hooks?: string; servers?: string }
  /** Everything is to be taken out: also from files that would not be chosen now. */
  taking?: true
}

export interface ClientKind {
  /** As it is named on the command line. */
  name: string
  alias?: string
  /** As the service names it. */
  service: string
  /** Its own program, when it has one that can be started by its name. */
  program?: string
  /** It is there when one of these folders is. Undefined: it is changed only when it is asked for. */
  folders?(where: Where): string[]
  /** Its files, with everything of ours in them. */
  sheets(way: Way, where: Where, wish: Wish): Sheet[]
  /** Where it keeps its skills. */
  skills?(where: Where): string
  /** What the user has to do, before and beside what is written. */
  hints?: readonly string[]
  /** How its tools are allowed for good, said when it was not asked for; and when no file says it. */
  grant: string
}

/** The event of a client, and our hook for it. */
export interface Hooked {
  hook: string
  seconds: number
  matcher?: string
  /** Which uses of a tool start our program, each as a rule of the client; without it, all do. */
  rules?: readonly string[]
}

export const command = (way: Way, hook: string, service: string): string[] =>
  commandOf(way, ['hook', hook], service)

/** How a client that starts a program speaks to us. */
export function bridgeOf(way: Way, service: string): { command: string; args: string[] } {
  const [program, ...args] = commandOf(way, ['bridge'], service)
  return { command: program!, args }
}

/** Entries with a list of hooks each, as Claude Code began it. `marked` where unknown keys are accepted. */
export function entriesIn(
  way: Way,
  events: Record<string, Hooked | readonly Hooked[]>,
  handler: (words: string[], hooked: Hooked, rule?: string) => object,
  { service, marked }: { service: string; marked: boolean },
): Lists {
  const entry = (hooked: Hooked): object => {
    const { hook, matcher, rules = [undefined] } = hooked
    const hooks = rules.map((rule) => handler(command(way, hook, service), hooked, rule))
    return { ...(marked && { [MARK]: true }), ...(matcher && { matcher }), hooks }
  }
  const wanted = Object.entries(events).map(([event, hooked]): [string, object[]] => [
    event,
    [hooked].flat().map(entry),
  ])
  return {
    kind: 'lists',
    in: ['hooks'],
    wanted: Object.fromEntries(wanted),
    ours: (entry) => isOurEntry(entry, way.url),
    within: (entry) => oursWithin(entry, way.url),
  }
}

/**
 * The settings of Gemini CLI and of those that follow it: hooks with a name each, and the bridge among the
 * servers, whose tools are allowed by trusting it.
 */
export function settingsOf(
  way: Way,
  path: string,
  events: Record<string, Hooked>,
  { service, allow, perSecond }: { service: string; allow: boolean; perSecond: number },
): Sheet {
  const handler = (words: string[], { hook, seconds }: Hooked): object => ({
    type: 'command',
    name: `loam-${hook}`,
    command: forThisShell(words),
    timeout: seconds * perSecond,
  })
  const server = { ...bridgeOf(way, service), ...(allow && { trust: true }) }
  return {
    path,
    format: 'json',
    parts: [
      entriesIn(way, events, handler, { service, marked: false }),
      serverIn(way, 'mcpServers', server),
    ],
  }
}

export const TRUST = '"trust": true for mcpServers.loam in its settings'

/** Lists of hooks without entries around them. */
export function handlersIn(
  way: Way,
  events: Record<string, Hooked>,
  handler: (words: string[], hooked: Hooked) => object,
  service: string,
): Lists {
  const wanted = Object.entries(events).map(([event, hooked]): [string, object[]] => [
    event,
    [handler(command(way, hooked.hook, service), hooked)],
  ])
  return {
    kind: 'lists',
    in: ['hooks'],
    wanted: Object.fromEntries(wanted),
    ours: (handler) => isOurHook(handler, way.url),
  }
}

/** Our server among those of a client. */
export const serverIn = (way: Way, box: string, value: object): Member => ({
  kind: 'member',
  about: 'mcp',
  in: [box],
  key: 'loam',
  value,
  ours: (server) => isOurServer(server, way.url),
  spoiled: holdsKey,
})
