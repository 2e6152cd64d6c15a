import { wordsAsked, type ItemKind } from '../passages/passages.ts'
import { hitOf } from './hit.ts'
import type { Found } from './search.ts'

/** Why a hit is where it is. */
export interface Explained {
  /** Its place by words alone, and which words of the question its best passage has, rarest first. */
  words?: { rank: number; score: number; matched: string[] }
  /** Its place by meaning alone. */
  meaning?: { rank: number; similarity: number }
  /** Factors. */
  boosts?: { star?: number; utility?: number }
}

/** What was found and not shown. */
export interface NearMiss {
  kind: ItemKind
  id: string
  name: string
  title: string
  score: number
  why: string
}

const MISSES = 10

export function explained({ words, meaning, boosts }: Found, query: string): Explained {
  return {
    ...(words && {
      words: {
        rank: words.rank,
        score: shortened(words.score),
        matched: matchedWords(query, words.lexemes ?? []),
      },
    }),
    ...(meaning && { meaning: { rank: meaning.rank, similarity: shortened(meaning.similarity) } }),
    ...(Object.keys(boosts).length > 0 && {
      boosts: {
        ...(boosts.star !== undefined && { star: boosts.star }),
        ...(boosts.utility !== undefined && { utility: shortened(boosts.utility) }),
      },
    }),
  }
}

/** The words as they were asked, in the order of the lexemes; no word twice. */
function matchedWords(query: string, lexemes: readonly string[]): string[] {
  const asked = new Map<string, string>()
  for (const [written] of query.matchAll(/[^\s,;()"]+/gu)) {
    const word = written.replace(/[?!.:]+$/, '')
    for (const lexeme of wordsAsked(word).keys()) if (!asked.has(lexeme)) asked.set(lexeme, word)
  }
  return [...new Set(lexemes.map((lexeme) => asked.get(lexeme) ?? lexeme))]
}

/** The best of what was left out of an answer of `shown` hits. */
export function nearMisses(left: readonly Found[], shown: number, limit: number): NearMiss[] {
  return left.slice(0, MISSES).map((one, i) => {
    const { kind, id, name, title, score } = hitOf(one)
    const rank = shown + i + 1
    const why =
      rank > limit
        ? `place ${rank}, and ${limit} were asked for`
        : `place ${rank}, past the budget of tokens`
    return { kind, id, name, title, score, why }
  })
}

const shortened = (number: number): number => Number(number.toFixed(4))
