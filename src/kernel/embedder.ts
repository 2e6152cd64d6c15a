/** What turns text into vectors. Trouble of the provider is a value: the caller does without vectors. */
import type { ProviderTrouble, ProviderTroubleKind } from './provider.ts'

export type EmbedderState =
  | {
      on: true
      /** The provider's name for it. */
      model: string
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
  vectors: number[][]
}

export interface EmbedOptions {
  /** For each attempt. */
  deadlineMs: number
  attempts: number
}

export interface Embedder {
  state(): EmbedderState
  /** Throws a Refusal only when the configuration makes no valid request. */
  embed(texts: readonly string[], how: EmbedOptions): Promise<Vectors | EmbedTrouble>
  /** Takes the length of a vector from the next answer again, unless the configuration sets it. */
  forgetDims(): Promise<void>
  /** Aborts running requests. Later ones return trouble. */
  close(): Promise<void>
}

export const isTrouble = (answer: Vectors | EmbedTrouble): answer is EmbedTrouble =>
  'cause' in answer
