/**
 * Embeddings: what passages mean, as vectors, and the finding of items by it.
 *
 * This file is the room's door. Vectors are made in the background, a search by meaning looks at
 * those of the model in use. Without a provider a model is learned from the store's own passages (`learned/`).
 */
export { byMeaning, embedQuery, type Filters, type Meant, type Near } from './by-meaning.ts'
export { changeOf, type Change } from './change.ts'
export { countVectors, type VectorCounts } from './counts.ts'
export { openEmbedder } from './embedder.ts'
export { foldLeft, learnAgain, learningInTurns } from './learning.ts'
export { likenessOf, type Likeness } from './likeness.ts'
export { nearlyTheSame, soonTheSame } from './nearly-same.ts'
export { reembed, type Reembed } from './reembed.ts'
export { UNTRIED, untriedWeight } from './scale.ts'
export {
  checkedStatus,
  embeddingStatus,
  isEmbedding,
  learnedStatus,
  modelInUse,
  switchEmbeddings,
  tryEmbedder,
  type EmbeddingStatus,
  type ModelStatus,
  type Trial,
} from './status.ts'
export { embeddingWorker, type Worker } from './worker.ts'
