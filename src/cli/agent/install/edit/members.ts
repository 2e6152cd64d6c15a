/** A key of ours in an object of somebody else. */
import { isDeepStrictEqual } from 'node:util'
import { append, remove, replace, valueAt } from './json.ts'
import { dropEmpty, ensure } from './lists.ts'
import type { Draft, Member, Seed } from './parts.ts'

export function putMember(draft: Draft, part: Member | Seed): void {
  const box = part.kind === 'seed' ? [] : part.in
  const at = [...box, part.key]
  const there = valueAt(draft.text, at)
  if (part.kind === 'seed') {
    if (there === undefined) draft.text = append(draft.text, [], part.value, part.key)
    return
  }
  const holder = valueAt(draft.text, box)
  if (there === undefined && (holder === undefined || isObject(holder))) {
    ensure(draft, box, 'object')
    draft.text = append(draft.text, box, part.value, part.key)
    if (!isObject(part.value)) draft.made.push(at)
    draft.outcomes[part.about ?? part.key] = 'added'
  } else if (!part.ours(there)) {
    draft.outcomes[part.about ?? part.key] = 'another of this name is there; it was left as it is'
  } else if (part.spoiled?.(there)) {
    draft.text = replace(draft.text, at, part.value)
    draft.outcomes[part.about ?? part.key] = 'updated'
  } else if (holds(there, part.value)) draft.outcomes[part.about ?? part.key] = 'unchanged'
  else {
    draft.outcomes[part.about ?? part.key] = 'updated'
    mend(draft, at, there, part.value)
  }
}

/** Gives our keys their values; a value of another kind is replaced as a whole. */
function mend(draft: Draft, at: string[], there: unknown, value: unknown): void {
  if (!isObject(there) || !isObject(value) || !sameKind(there, value)) {
    draft.text = replace(draft.text, at, value)
    return
  }
  for (const [key, wanted] of Object.entries(value)) {
    if (isDeepStrictEqual(there[key], wanted)) continue
    draft.text =
      there[key] === undefined
        ? append(draft.text, at, wanted, key)
        : replace(draft.text, [...at, key], wanted)
  }
}

export function takeMember(draft: Draft, part: Member, made: string[][] | undefined): void {
  const at = [...part.in, part.key]
  const there = valueAt(draft.text, at)
  if (there === undefined || !part.ours(there)) return
  // A plain word carries no mark: only one that was put in is taken out.
  if (!isObject(there) && !(made ?? []).some((path) => isDeepStrictEqual(path, at))) return
  draft.text = remove(draft.text, at)
  draft.outcomes[part.about ?? part.key] = 'removed'
  // Unlike a list of hooks, an empty object may well have been the user's.
  dropEmpty(draft, part.in, made ?? [])
}

/** Whether a value has all that is wanted; what the user put beside it is the user's. */
export const holds = (there: unknown, wanted: unknown): boolean =>
  isObject(there) && isObject(wanted)
    ? Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(there[key], value))
    : isDeepStrictEqual(there, wanted)

/** A server that is started and one that is called have nothing in common. */
export const sameKind = (a: Record<string, unknown>, b: Record<string, unknown>): boolean =>
  'command' in a === 'command' in b

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
