/** What the words of a request come to, whether rules or a model read them. */
import type { Ambiguous, Operation } from './operations.ts'

export interface Understood {
  /** Memories are named by their ids. */
  operations: Operation[]
  /** The batch in which they are decided together; absent: each by itself. */
  plan?: string
  /** The chat model that read them; absent: rules did. */
  model?: string
  /** Why the rest is not proposed, in words for the caller. */
  skipped: string[]
  ambiguous: Ambiguous[]
  /** What to ask for instead, in words for the caller. */
  guidance?: string
  /** A project is to be split, which is asked for elsewhere. */
  split?: SplitAsked
}

/** A split as far as words say it. */
export interface SplitAsked {
  /** The slug of a project that is there; absent: none was named that is. */
  source?: string
  /** Slugs. */
  children: string[]
  shared?: string
}
