import type { ItemKind } from '../passages/passages.ts'
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

/** `written` has the words of the question as they were asked, by their lexemes. */
export function explained(
  { words, meaning, boosts }: Found,
  written: ReadonlyMap<string, string>,
): Explained {
  return {
    ...(words && {
      words: {
        rank: words.rank,
        score: shortened(words.score),
        matched: matchedWords(words.lexemes ?? [], written),
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

/** In the order of the lexemes; no word twice. */
const matchedWords = (
  lexemes: readonly string[],
  written: ReadonlyMap<string, string>,
): string[] => [...new Set(lexemes.map((lexeme) => written.get(lexeme) ?? lexeme))]

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
