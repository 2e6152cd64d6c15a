/** Words as they are compared: written with accents or without, they are the same. */

/** Letters that no decomposition takes apart. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}

/**
 * Signs that a reader may leave out: accents, the points of Hebrew, the vowels, hamzas and long lines of Arabic, and the
 * dot below letters of Devanagari. Other marks of these scripts are vowels that every writer sets.
 */
const ACCENTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u093c]/g

/** A word without case and without accents. */
export function fold(word: string): string {
  const lower = word.toLowerCase()
  if (/^[ -~]*$/.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .normalize('NFC')
    .replaceAll(/[ßæœøđðþłħıς]/g, (letter) => LETTERS[letter] ?? letter)
}
