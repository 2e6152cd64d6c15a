/** How alike two texts mean, by a model that tells what is said and not only what about. */
import type { Kernel } from '../kernel/kernel.ts'
import { cosineOf, similarityOf } from './scale.ts'
import { findScale } from './store.ts'

export interface Likeness {
  model: number
  /** A cosine of the model on the common scale. */
  similarity(cosine: number): number
  /** The cosine that is told so. */
  cosine(similarity: number): number
}

/**
 * Undefined without such a model. What is learned of words that stand together tells subjects apart, and hardly what is said
 * of one. One that was not checked yet has its own cosines.
 */
export async function likenessOf({ db, embedder }: Kernel): Promise<Likeness | undefined> {
  const state = await embedder.look()
  if (!state.on || state.learned || state.number === 0) return undefined
  const knots = (await findScale(db, state.number))?.knots
  return {
    model: state.number,
    similarity: (cosine) => (knots ? similarityOf(knots, cosine) : cosine),
    cosine: (similarity) => (knots ? cosineOf(knots, similarity) : similarity),
  }
}
