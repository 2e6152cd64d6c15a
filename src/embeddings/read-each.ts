/**
 * Texts that a provider reads together. What a batch meets may lie in one text alone, whatever the provider calls it: a
 * model that makes no numbers of a sentence ends in an error of its own. That one is looked for by halves, while the
 * provider answers otherwise.
 */
import {
  isTrouble,
  type Embedder,
  type EmbedOptions,
  type EmbedTrouble,
  type Vectors,
} from '../kernel/embedder.ts'

/** A text that every model can read. */
export const PROBE = 'Loam'

/** Trouble that one text may make for its batch. Several that take too long are asked for in smaller batches first. */
const MAY_BE_OF_ONE: ReadonlySet<EmbedTrouble['kind']> = new Set([
  'refused',
  'unavailable',
  'malformed',
])

/** What becomes of the texts. */
export interface Taker<T> {
  keep(texts: readonly T[], read: Vectors): Promise<void>
  /** One that cannot be read while others can; trouble that is returned ends the reading. */
  leaveOut(text: T, trouble: EmbedTrouble): Promise<EmbedTrouble | undefined>
}

/** Returns the trouble of the provider itself. */
export async function readEach<T extends { text: string }>(
  embedder: Embedder,
  texts: readonly T[],
  how: EmbedOptions,
  taker: Taker<T>,
): Promise<EmbedTrouble | undefined> {
  const answer = await embedder.embed(
    texts.map(({ text }) => text),
    how,
  )
  if (!isTrouble(answer)) {
    await taker.keep(texts, answer)
    return undefined
  }
  const isRefused = answer.kind === 'refused'
  const [only] = texts
  const isAlone = texts.length === 1 && only !== undefined
  if (!MAY_BE_OF_ONE.has(answer.kind) && !(isAlone && answer.kind === 'slow')) return answer
  // Each attempt at each half would have one text at fault keep its batch waiting for long.
  const once = { ...how, attempts: 1 }
  // A refusal is of the texts by its own word; only the last of them may show that everything is refused.
  if (!isRefused || isAlone) {
    const probed = await embedder.embed([PROBE], once)
    if (isTrouble(probed)) return isRefused ? probed : answer
  }
  if (isAlone) return taker.leaveOut(only, answer)
  const half = texts.length >> 1
  return (
    (await readEach(embedder, texts.slice(0, half), once, taker)) ??
    (await readEach(embedder, texts.slice(half), once, taker))
  )
}
