import type { ItemKind } from '../passages/passages.ts'

/** What a retriever is asked. */
export interface Asked {
  query: string
  kinds: readonly ItemKind[]
  /** Items at most. */
  depth: number
  /** Memories of one kind only. */
  memoryKind?: string | undefined
  /** The items of that time; left out: of now. */
  at?: Date | undefined
  /** No meaning is looked at. */
  wordsAlone?: boolean
  /** What matched comes back too. */
  explain?: boolean
}
