/**
 * The hooks section of a client's settings: ours are put in, replaced or taken out, and nothing of
 * anybody else's is touched.
 */
import { isDeepStrictEqual } from 'node:util'

/** Marks what is ours, so that an entry of an older version is known again. */
const MARK = 'loam'

export interface Handler {
  type: string
  [key: string]: unknown
}

export interface Entry {
  matcher?: string
  hooks: Handler[]
}

/** What became of one event's entries. */
export type Outcome = 'added' | 'updated' | 'adopted' | 'deduped' | 'unchanged' | 'removed'

export type Settings = Record<string, unknown>

/** The settings with exactly one entry of ours for each event that is wanted, and none elsewhere. */
export function putHooks(
  settings: Settings,
  wanted: Record<string, Entry>,
): { settings: Settings; outcomes: Record<string, Outcome> } {
  const hooks = { ...hooksOf(settings) }
  const outcomes: Record<string, Outcome> = {}
  for (const [event, entry] of Object.entries(wanted)) {
    const there = listOf(hooks[event])
    const owned = there.filter(isOurs)
    outcomes[event] = outcomeOf(owned, entry)
    const place = there.findIndex(isOurs)
    const others = there.filter((each) => !isOurs(each))
    const at = place === -1 ? others.length : place
    hooks[event] = others.toSpliced(at, 0, { [MARK]: true, ...entry })
  }
  for (const [event, entries] of Object.entries(hooks)) {
    if (event in wanted || !listOf(entries).some(isOurs)) continue
    outcomes[event] = 'removed'
    hooks[event] = listOf(entries).filter((each) => !isOurs(each))
  }
  return { settings: withHooks(settings, hooks), outcomes }
}

/** The settings without anything of ours, and the events it was taken from. */
export function takeHooks(settings: Settings): { settings: Settings; events: string[] } {
  const hooks = { ...hooksOf(settings) }
  const events = Object.keys(hooks).filter((event) => listOf(hooks[event]).some(isOurs))
  for (const event of events) hooks[event] = listOf(hooks[event]).filter((each) => !isOurs(each))
  return { settings: withHooks(settings, hooks), events }
}

function outcomeOf(owned: readonly unknown[], entry: Entry): Outcome {
  const [first] = owned
  if (first === undefined) return 'added'
  const { [MARK]: marked, ...rest } = first as Settings
  if (!isDeepStrictEqual(rest, entry)) return 'updated'
  if (!marked) return 'adopted'
  return owned.length > 1 ? 'deduped' : 'unchanged'
}

/** An entry is ours by its mark, or when its one handler runs our program or posts to our address. */
function isOurs(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const { [MARK]: marked, hooks } = entry as Settings
  if (marked === true) return true
  const [handler, ...more] = listOf(hooks) as Handler[]
  if (!handler || more.length > 0) return false
  const { command = '', args, url = '' } = handler
  const line = [command, ...listOf(args)].join(' ')
  return (
    /(?:^|[\s'"/\\])loam(?:\.mjs)?['"]?\s+hook\s/.test(line) ||
    /^https?:\/\/[^/]+\/api\/hooks\/[a-z-]+$/.test(String(url))
  )
}

const hooksOf = ({ hooks }: Settings): Record<string, unknown> =>
  typeof hooks === 'object' && hooks !== null ? (hooks as Record<string, unknown>) : {}

/** Events without an entry are left out again, and so is a section without an event. */
function withHooks(settings: Settings, hooks: Record<string, unknown>): Settings {
  const kept = Object.entries(hooks).filter(
    ([, entries]) => !Array.isArray(entries) || entries.length > 0,
  )
  const { hooks: _, ...rest } = settings
  return kept.length > 0 ? { ...rest, hooks: Object.fromEntries(kept) } : rest
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
