/**
 * Plain words: letters of ASCII alone, with nothing around them that could join them to a path or an identifier. Most of
 * any text is that, and a pattern takes several times as long to find it as a look at each character.
 */

/** What a character of ASCII may be to a word. */
const [NOTHING, LOWER, UPPER, WORD, ENDS, JOINS] = [0, 1, 2, 3, 4, 5] as const

/** Of each character of ASCII: a letter, another character of words, what surely ends a word, or what may join two. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  if (/[0-9_]/.test(character)) return WORD
  if (/[-./\\@:']/.test(character)) return JOINS
  return /[+#`]/.test(character) ? NOTHING : ENDS
})

/** Beyond the end of a text as at a blank. */
const kindAt = (text: string, at: number): number =>
  at < text.length ? (KINDS[text.charCodeAt(at)] ?? NOTHING) : ENDS

/** Where the next word may begin, at `at` or behind it: what is passed over is no part of any. */
export function nextWord(text: string, at: number): number {
  let next = at
  while (next < text.length && kindAt(text, next) >= ENDS) next++
  return next
}

/**
 * The end of the plain word that begins at `at`: only its first letter may be a capital. -1 when what begins there is no
 * such word or may be more than one.
 */
export function plainEnd(text: string, at: number): number {
  const first = kindAt(text, at)
  if (first !== LOWER && first !== UPPER) return -1
  let end = at + 1
  while (kindAt(text, end) === LOWER) end++
  const after = kindAt(text, end)
  if (after === ENDS) return end
  // What joins words joins none at the end of a sentence. An arrow does.
  const ends = after === JOINS && kindAt(text, end + 1) === ENDS && text[end + 1] !== '>'
  return ends ? end : -1
}

/** Whether every character is one of ASCII. */
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** Calls `meet` with the ends of every run of letters and digits in a text of ASCII without capitals. */
export function eachRun(text: string, meet: (from: number, to: number) => void): void {
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    const inside = (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
    if (inside && from < 0) from = at
    else if (!inside && from >= 0) {
      meet(from, at)
      from = -1
    }
  }
}
