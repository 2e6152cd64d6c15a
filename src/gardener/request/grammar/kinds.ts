/** How a request says what kind a memory is. */
import { MEMORY_KINDS, type MemoryKind } from '../../../memories/memories.ts'
import { standsAt, trimmed, type Word } from './words.ts'

/** The kind that a word names, one or several of it. */
export const kindNamed = (low: string): MemoryKind | undefined =>
  MEMORY_KINDS.find((kind) => low === kind || low === `${kind}s`)

/** "… a decision", "… decisions", "… refuted" at the end, with what stands before it. */
export function kindAtEnd(
  words: readonly Word[],
): { before: readonly Word[]; kind: MemoryKind } | undefined {
  const low = words.at(-1)?.low ?? ''
  const kind = kindNamed(low)
  if (!kind) return undefined
  const at = words.length - 1
  if (standsAt(words, at - 1, 'a|an|the')) return { before: words.slice(0, at - 1), kind }
  return low !== kind || kind === 'refuted' ? { before: words.slice(0, at), kind } : undefined
}

/** Without "not a decision" at the end: what it is no longer says nothing of what it is. */
export function withoutContrast(words: readonly Word[]): readonly Word[] {
  const those = trimmed(words)
  const contrast = [3, 2].find(
    (length) =>
      kindNamed(those.at(-1)?.low ?? '') &&
      standsAt(those, those.length - length, length === 3 ? 'not a|an|the' : 'not'),
  )
  if (contrast === undefined) return those
  return trimmed(those.slice(0, -contrast), 'and', 'but', '-', '–', '—')
}
