/** What turns text into vectors. Trouble of the provider is a value: the caller does without vectors. */
import type { ProviderTrouble, ProviderTroubleKind } from './provider.ts'

export type EmbedderState =
  | {
      on: true
      /** The provider's name for it. */
      model: string
      /** It was learned from the store itself: its vectors are made when passages are written. */
      learned?: true
      /** Length of a vector, and the model's number; 0 until the provider has answered once. */
      dims: number
      number: number
    }
  | {
      on: false
      cause: string
      /** The configuration contradicts itself. */
      misconfigured: boolean
      /** The owner wants none: nothing is missing. */
      chosen: boolean
    }

/** `refused`: in the texts that were sent; `dimensions`: in what this store holds or can hold. */
export type TroubleKind = ProviderTroubleKind | 'dimensions'

export interface EmbedTrouble extends Omit<ProviderTrouble, 'kind'> {
  kind: TroubleKind
}

/** One vector of length 1 for each text, in their order, all of the model with this number. */
export interface Vectors {
  model: number
  /** Empty for a text of which a learned model knows too little. */
  vectors: number[][]
  /** Of a model that was checked on the store's own passages. */
  scale?: Scale
}

/** What a similarity of a model is worth. */
export interface Scale {
  /** How a cosine is told: from one knot to the next in a straight line, from 0 to 1. */
  knots: readonly (readonly [cosine: number, similarity: number])[]
  /** How far it is trusted beside the words, from 0 to 1. */
  weight: number
  /** Of a model that was learned from the store itself. */
  learned?: true
}

/** What a learned model reads in a passage. */
export interface Fold {
  model: number
  vector: readonly number[]
}

/** What learned models read in a passage, and which of them were at hand. */
export interface Folded {
  folds: readonly Fold[]
  held: readonly number[]
}

export const NOTHING_FOLDED: Folded = { folds: [], held: [] }

export interface EmbedOptions {
  /** For each attempt. */
  deadlineMs: number
  attempts: number
}

export interface Embedder {
  /** As it was last seen. */
  state(): EmbedderState
  /** Its state now: another process may have learned, or turned to another model. */
  look(): Promise<EmbedderState>
  /** Throws a Refusal only when the configuration makes no valid request. */
  embed(texts: readonly string[], how: EmbedOptions): Promise<Vectors | EmbedTrouble>
  /** Reads a passage that is being written, with models that need nothing but its words. */
  fold(counts: ReadonlyMap<string, number>): Folded
  /** What answers while this one cannot. */
  beside?: Embedder
  /** Takes the length of a vector from the next answer again, unless the configuration sets it. */
  forgetDims(): Promise<void>
  /** Aborts running requests. Later ones return trouble. */
  close(): Promise<void>
}

export const isTrouble = (answer: Vectors | EmbedTrouble): answer is EmbedTrouble =>
  'cause' in answer
