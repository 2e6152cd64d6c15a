/** Elements of ours in lists of somebody else. An element keeps its place when it is mended. */
import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../../../../kernel/refusal.ts'
import { append, nodeAt, type Path, remove, replace, treeOf, valueAt, valueOf } from './json.ts'
import type { Draft, Lists, Outcome } from './parts.ts'

/** Marks what is ours, so that an entry of an older version is known again. */
export const MARK = 'loam'

export function putLists(draft: Draft, part: Lists): void {
  const known = namesIn(draft.text, part)
  for (const name of known) {
    if (name in part.wanted) continue
    if (takeFrom(draft, part, name) === 0) continue
    draft.outcomes[name] = 'removed'
    if (listAt(draft.text, part, name).length === 0) drop(draft, [...part.in, name])
  }
  for (const [name, wanted] of Object.entries(part.wanted)) {
    if (wanted.length > 0) draft.outcomes[part.about ?? name] = putItems(draft, part, name, wanted)
  }
}

function putItems(draft: Draft, part: Lists, name: string, wanted: readonly unknown[]): Outcome {
  const at = [...part.in, name]
  const mixed = takeWithin(draft, part, name)
  const owned = placesOf(draft.text, part, name)
  let outcome: Outcome = mixed > 0 ? 'updated' : 'unchanged'
  wanted.forEach((item, turn) => {
    const place = owned[turn]
    if (place === undefined) {
      ensure(draft, part.in, 'object')
      ensure(draft, at, 'array')
      draft.text = append(draft.text, at, item)
      if (part.words) draft.made.push([...at, String(item)])
      if (outcome === 'unchanged') outcome = 'added'
      return
    }
    const there = valueAt(draft.text, [...at, place])
    if (isDeepStrictEqual(there, item)) return
    outcome = isDeepStrictEqual({ ...(there as object), [MARK]: true }, item)
      ? 'adopted'
      : 'updated'
    draft.text = replace(draft.text, [...at, place], item)
  })
  for (const place of owned.slice(wanted.length).toReversed()) {
    draft.text = remove(draft.text, [...at, place])
    if (outcome === 'unchanged') outcome = 'deduped'
  }
  return outcome
}

export function takeLists(draft: Draft, part: Lists, made: string[][] | undefined): void {
  const ours = (item: unknown): boolean =>
    part.ours(item) && (!part.words || (made ?? []).some((path) => path.at(-1) === item))
  const taken = namesIn(draft.text, part).filter(
    (name) => takeFrom(draft, { ...part, ours }, name) > 0,
  )
  for (const name of taken) {
    draft.outcomes[part.about ?? name] = 'removed'
    const at = [...part.in, name]
    // Without a receipt an emptied list is an older version's, which left none.
    if (listAt(draft.text, part, name).length === 0 && isMade(at, made)) drop(draft, at)
  }
  if (taken.length > 0) dropEmpty(draft, part.in, made)
}

/** Takes what is ours out of one list. Returns how much it was. */
function takeFrom(draft: Draft, part: Lists, name: string): number {
  const owned = placesOf(draft.text, part, name)
  for (const place of owned.toReversed()) draft.text = remove(draft.text, [...part.in, name, place])
  return owned.length + takeWithin(draft, part, name)
}

function takeWithin(draft: Draft, part: Lists, name: string): number {
  let taken = 0
  listAt(draft.text, part, name).forEach((item, place) => {
    for (const inner of (part.within?.(item) ?? []).toReversed()) {
      draft.text = remove(draft.text, [...part.in, name, place, ...inner])
      taken++
    }
  })
  return taken
}

const placesOf = (text: string, part: Lists, name: string): number[] =>
  listAt(text, part, name).flatMap((item, place) => (part.ours(item) ? [place] : []))

function listAt(text: string, part: Lists, name: string): unknown[] {
  const value = valueAt(text, [...part.in, name])
  return Array.isArray(value) ? value : []
}

/** The lists that are there, and that may hold something of ours. */
function namesIn(text: string, part: Lists): string[] {
  const box = valueAt(text, part.in)
  if (typeof box !== 'object' || box === null || Array.isArray(box)) return []
  return Object.keys(box).filter((name) => !part.only || name in part.wanted)
}

/** Makes an object or a list where there is none. Refuses to make one out of something else. */
export function ensure(draft: Draft, at: readonly string[], type: 'object' | 'array'): void {
  const node = nodeAt(treeOf(draft.text), at)
  if (node?.type === type || (at.length === 0 && !node)) return
  if (node)
    throw invalid(
      `not as it should be: "${at.join('.')}" is no ${type === 'array' ? 'list' : 'object'}`,
    )
  ensure(draft, at.slice(0, -1), 'object')
  draft.text = append(draft.text, at.slice(0, -1), type === 'array' ? [] : {}, at.at(-1)!)
  draft.made.push([...at])
}

const isMade = (at: readonly string[], made: string[][] | undefined): boolean =>
  !made || made.some((path) => isDeepStrictEqual(path, at))

/** Drops an object that was made for ours and is empty again, and those around it. */
export function dropEmpty(draft: Draft, at: readonly string[], made: string[][] | undefined): void {
  if (at.length === 0) return
  const value = valueOf(nodeAt(treeOf(draft.text), at))
  if (!isDeepStrictEqual(value, {}) || !isMade(at, made)) return
  drop(draft, at)
  dropEmpty(draft, at.slice(0, -1), made)
}

function drop(draft: Draft, at: Path): void {
  draft.text = remove(draft.text, at)
}
