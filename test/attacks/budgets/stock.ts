/** What lies in the store for the calls to name. */
import type { Random } from '../attack.ts'
import type { Made } from './sizes.ts'

const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'
/** As many of a kind are kept: a store that only grows would be the subject after a while. */
const MOST = 40

type Kind = 'note' | 'memory' | 'task' | 'trial' | 'session' | 'token' | 'event'

/** A name of what lies there: which one, is known when it is sent. */
const REFERENCE = /^~(\w+) (\d+)$/

export class Stock {
  readonly #items = new Map<Kind, string[]>()

  /** Returns the item that is to be deleted for it. */
  add(kind: Kind, id: string): string | undefined {
    const items = this.#items.get(kind) ?? []
    this.#items.set(kind, items)
    if (items.includes(id)) return undefined
    items.push(id)
    // The first ones are the large ones that were put there for the calls.
    return items.length > MOST ? items.splice(MOST / 2, 1)[0] : undefined
  }

  remove(kind: Kind, id: string): void {
    const items = this.#items.get(kind) ?? []
    if (items.includes(id)) items.splice(items.indexOf(id), 1)
  }

  /** What is usually meant by that parameter; undefined: there is no such thing. */
  value(tool: string, property: string, random: Random): Made | undefined {
    const one = (kind: Kind): string => `~${kind} ${random.int(MOST)}`
    switch (property) {
      case 'id':
        if (tool.startsWith('notes_')) return one('note')
        if (tool.startsWith('tasks_')) return one('task')
        return one(random.pick(['note', 'task', 'memory', 'trial', 'session']))
      case 'name':
        return tool.startsWith('memory_') ? one('memory') : `name ${random.int(60)}`
      case 'supersedes':
        return one('memory')
      case 'depends_on':
      case 'add_depends_on':
        return [one('task'), one('task')]
      case 'claim_token':
        return one('token')
      case 'session':
        return one('session')
      case 'project':
        return random.pick(['atlas', 'atlas', 'atlas', 'global', 'delta'])
      case 'isolation':
        return 'open'
      case 'plan':
      case 'lab':
        return 'harbour'
      case 'body':
        return random.pick(['q', 'one two three', '# a\n\nb', 'q'.repeat(2_000)])
      default:
        return undefined
    }
  }

  /** The same as a part of an address. */
  pathOf = (kind: string, random: Random): string => `~${kind}~${random.int(MOST)}~`

  /** The address with the ids of what lies there in it. */
  fillPath = (path: string): string =>
    path.replace(/~(\w+)~(\d+)~/, (_, kind: string, at: string) => this.#named(`~${kind} ${at}`))

  /** The value with the names of what lies there in it. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') return value.length > 40 ? value : this.#named(value)
    if (typeof value !== 'object' || value === null) return value
    // Only the outermost levels have any.
    for (const [name, inner] of Object.entries(value).slice(0, 50)) {
      const names = Array.isArray(inner) ? inner.length < 50 : typeof inner === 'string'
      if (names) (value as Record<string, unknown>)[name] = this.fill(inner)
    }
    return value
  }

  #named(text: string): string {
    const [, kind, at] = REFERENCE.exec(text) ?? []
    if (kind === undefined) return text
    const items = this.#items.get(kind as Kind) ?? []
    return items[Number(at) % items.length] ?? UNKNOWN
  }
}
