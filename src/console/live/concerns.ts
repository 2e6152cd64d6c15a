/** Which events concern a page and its parts: an open tab asks again only for what they may have changed. */
import { eventKinds } from '../../event-kinds.ts'

export interface Live {
  /** Events after which the tab asks for the whole page; none when only `parts` are given. */
  page?: Concerns
  /**
   * Parts that are asked for alone, by name: the id of the element, and the view of the screen's own folder that
   * makes it. The view is given the values of the page that it names, and nothing else is read.
   */
  parts?: Readonly<Record<string, Concerns>>
}

export type Concerns = readonly Concern[]

/**
 * Kinds of events: `note.written`, `task.*` (all that begin so), `acts` (all but calls, prompts, misses and
 * errors of hooks) or `*` (all). Narrowed by `where` to those of some sessions, projects or items. With `every`,
 * as many seconds: what changes though nothing happens, such as who has fallen silent.
 */
export type Concern = string | { kinds: readonly string[]; where: Where } | { every: number }

export interface Where {
  session?: string | readonly string[]
  project?: string | readonly string[]
  item?: string | readonly string[]
}

/** A page that declares nothing is asked for after every act. */
export const EVERY_ACT: Live = { page: ['acts'] }

/**
 * What `<main>` tells the scripts: the concerns of the page, of its parts and of the navigation, without the kinds that
 * cannot happen while their features are off.
 */
export function toldConcerns(live: Live, nav: Concerns, without: readonly string[]): string {
  const { page = [], parts = {} } = live
  const told = {
    page: toldOf(page),
    nav: toldOf(nav),
    parts: Object.fromEntries(
      Object.entries(parts).map(([name, concerns]) => [name, toldOf(concerns)]),
    ),
  }
  return JSON.stringify(told, (key, value: unknown) =>
    key === 'kinds' ? (value as string[]).filter((kind) => !without.includes(kind)) : value,
  )
}

/** One shape for the scripts: kinds, and the ids that an event has one of. */
function toldOf(concerns: Concerns) {
  const plain = concerns.filter((one) => typeof one === 'string')
  const others = concerns.filter((one) => typeof one !== 'string')
  const all = [...(plain.length > 0 ? [{ kinds: plain, where: {} }] : []), ...others]
  return all.map((one) => ('every' in one ? one : { kinds: expanded(one.kinds), ...listed(one) }))
}

const listed = ({ where }: { where: Where }) =>
  Object.fromEntries(Object.entries(where).map(([name, ids]) => [name, [ids].flat()]))

/** Names every kind, so that a script has only to look it up; `*` stays, for kinds of a later version. */
function expanded(patterns: readonly string[]): string[] {
  return [...new Set(patterns.flatMap(kindsOf))]
}

/** @throws when no kind is called so: a misspelt one would never refresh anything. */
function kindsOf(pattern: string): string[] {
  if (pattern === '*') return ['*']
  const kinds = [...eventKinds.values()]
  const found = kinds.filter(
    ({ name, transport }) =>
      (pattern === 'acts' && !transport) ||
      name === pattern ||
      (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1))),
  )
  if (found.length === 0) throw new Error(`no kind of event is called "${pattern}"`)
  return found.map(({ name }) => name)
}
