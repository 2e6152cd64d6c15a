/**
 * Words as they are written. Retrieval by stems takes `listed`, `listing` and `lists` for one word; of the texts that
 * it finds, those that have the question's own forms answer it more often.
 */
import { countForms, formsAsked } from '../passages/passages.ts'

/** As much of a passage as is read for the words as they are written, in characters. */
export const CHARACTERS = 3_000

/** As recall_words weighs how often a word stands in a passage of its length (BM25: k1 1.6, b .75). */
const weighed = (count: number, length: number, usual: number): number =>
  count === 0 ? 0 : (2.6 * count) / (count + 1.6 * (0.25 + (0.75 * length) / usual))

/**
 * Of what texts could have of a question's words as they are written, the part that each of them has.
 *
 * @param rarity by lexeme
 */
export function formsIn(
  texts: readonly string[],
  query: string,
  rarity: ReadonlyMap<string, number>,
): number[] {
  const forms = formsAsked(query)
  const found = texts.map((text) => countForms(text, forms))
  const usual = found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, found.length)
  const weights = [...forms].map(([form, lexeme]) => [form, rarity.get(lexeme) ?? 0] as const)
  const most = weights.reduce((sum, [, weight]) => sum + 2.6 * weight, 0)
  if (most === 0 || usual === 0) return texts.map(() => 0)
  return found.map(({ counts, length }) => {
    const parts = weights.map(
      ([form, weight]) => weight * weighed(counts.get(form) ?? 0, length, usual),
    )
    return parts.reduce((sum, part) => sum + part, 0) / most
  })
}
