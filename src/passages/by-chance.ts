/** Names that nobody chose: hashes and ids, of which chance makes words. */

/** Figures and a to f of a hash or a UUID; signs of an id such as a ULID. People name things as short: utf8mb4. */
const HASH = /^[0-9a-f]{7,}$/
const ID = /^[0-9a-z]{20,}$/

/** Whether a name is one that nobody chose: there are letters between its digits all over. */
export function isByChance(words: readonly string[]): boolean {
  if (words.length < 4) return false
  const joined = words.join('')
  const turns = joined.match(/[a-z](?=\d)|\d(?=[a-z])/g)?.length ?? 0
  if (HASH.test(joined)) return turns >= 3
  return ID.test(joined) && joined.length <= 3 * turns
}
