/** Made texts: words as rare as words are, the same ones in every run. */

const VOCABULARY = 20_000
/** The commonest are what stop words are: no text is searched by them. */
const COMMONEST = 30

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** A number in [0, 1) for each number. */
function chance(n: number): number {
  let hash = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/**
 * The nth word: the rank of a word is drawn so that it is as rare as its rank is high. It is letters alone, and no ending
 * of English: one with digits is searched by its parts as well, which then stand in every text.
 */
function word(n: number): string {
  const rank = Math.floor(COMMONEST * (VOCABULARY / COMMONEST) ** chance(n))
  const letters = Array.from(rank.toString(26), (digit) => LETTERS[parseInt(digit, 26)])
  return `w${letters.join('')}q`
}

/** So many words, of which each seed has its own. */
export const wordsOf = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => word(seed * 1_009 + i)).join(' ')

/** What somebody would ask who looks for the text of a seed: some of its words, and one that is not in it. */
export const questionOf = (seed: number): string =>
  [3, 11, 19, 31].map((i) => word(seed * 1_009 + i)).join(' ') + ` ${word(seed + 7)}`
