/** What a request begins and ends with out of politeness. */
import { isMark, standsAt, trimmed, wordsIn, type Word } from './words.ts'

const BEFORE = [
  'please|kindly',
  'can|could|would|will you',
  "let's|lets",
  'let us',
  "i'd like|love to",
  'i would like to',
  'i want|need to',
]

/** The words that say something, and whether they ask. A question put politely is a request. */
export function mannerly(request: string): { words: readonly Word[]; isQuestion: boolean } {
  const all = wordsIn(request)
  const isQuestion = all.findLast(isMark)?.low === '?' && isMark(all.at(-1)!)
  let words = trimmed(all)
  for (;;) {
    const phrase = BEFORE.find((each) => standsAt(words, 0, each))
    if (!phrase) break
    words = trimmed(words.slice(phrase.split(' ').length))
  }
  for (;;) {
    const length = thanksAtEnd(words)
    if (length === 0) return { words, isQuestion }
    words = trimmed(words.slice(0, -length))
  }
}

/** Thanks stand behind a mark, or they may be the name of something. */
function thanksAtEnd(words: readonly Word[]): number {
  if (words.length > 2 && standsAt(words, words.length - 1, 'please')) return 1
  const length = standsAt(words, words.length - 2, 'thank you') ? 2 : 1
  const before = words[words.length - length - 1]
  if (!before || !isMark(before)) return 0
  return length === 2 || standsAt(words, words.length - 1, 'thanks|thx') ? length : 0
}
