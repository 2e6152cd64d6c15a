/** A model that answers in text. Trouble of its provider is a value: the caller says so, or does without it. */
import type { ProviderTrouble } from './provider.ts'

export type ChatState =
  | {
      on: true
      /** The provider's name for it. */
      model: string
      /** Whose protocol is spoken. */
      provider: string
    }
  | {
      on: false
      cause: string
      /** The configuration contradicts itself. */
      misconfigured: boolean
    }

/** One question. What the model is to do stands in `system`, what it is asked about in `user`. */
export interface Prompt {
  system: string
  user: string
}

/** What the model said, whole and never empty. */
export interface Completion {
  text: string
  model: string
}

export interface ChatModel {
  state(): ChatState
  /**
   * Asks once, with no memory of what was asked before. `deadlineMs` is for all attempts together, and never
   * more than a minute. Throws a Refusal only when the configuration makes no valid request.
   */
  complete(prompt: Prompt, how: { deadlineMs: number }): Promise<Completion | ProviderTrouble>
  /** Aborts running requests. Later ones return trouble. */
  close(): Promise<void>
}
