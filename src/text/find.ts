/** Where one text stands in another, in a time that grows with their lengths and not with their product. */

/**
 * The engine's own search looks at 250 units of a pattern to know how far it may move on. Behind a longer
 * end that repeats itself it moves by one unit, and compares everything again.
 */
const SAFE = 250

/** Calls `found` with the place of each occurrence, from the left, until it says false; they never overlap. */
export function eachOccurrence(text: string, part: string, found: (at: number) => unknown): void {
  if (part === '' || part.length > text.length) return
  if (part.length > SAFE) return eachOfLong(text, part, found)
  const step = part.length
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) {
    if (found(at) === false) return
  }
}

/** Where it stands first; -1 when it does not. */
export function firstOccurrence(text: string, part: string): number {
  let first = -1
  eachOccurrence(text, part, (at) => {
    first = at
    return false
  })
  return first
}

/** Knuth, Morris and Pratt: no unit of the text is looked at again. */
function eachOfLong(text: string, part: string, found: (at: number) => unknown): void {
  const back = borders(part)
  let matched = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = back[matched - 1]!
    if (part.charCodeAt(matched) === unit) matched++
    if (matched < part.length) continue
    if (found(at + 1 - matched) === false) return
    matched = 0
  }
}

/** For each beginning of the part, how much of its end is a beginning again. */
function borders(part: string): Uint32Array {
  const back = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== unit) length = back[length - 1]!
    if (part.charCodeAt(length) === unit) length++
    back[at] = length
  }
  return back
}
