/** Where each memory of a project goes that is split, by the words of the children's names. */
import { wordsAsked } from '../../passages/passages.ts'
import type { Brief, Label } from '../payloads.ts'

export interface Own extends Brief {
  tags: string[]
  body: string
}

export interface Assignment {
  id: string
  to: string
  rationale: string
}

/**
 * A memory goes to the child whose words stand in its name, else in its tags, its description, its body: the first of
 * them in which a single child is named. Where none or several are, nothing is said.
 */
export function assignByWords(
  source: string,
  children: readonly Label[],
  memories: readonly Own[],
): Assignment[] {
  const words = children.map(({ slug, label }) => ({
    slug,
    words: tellingWords(source, children, slug, label),
  }))
  return memories.flatMap((memory) => {
    for (const [what, text] of Object.entries(partsOf(memory))) {
      const named = new Set(wordsAsked(text).keys())
      const hits = words.flatMap(({ slug, words }) => {
        const word = [...words].find((word) => named.has(word))
        return word === undefined ? [] : [{ slug, word }]
      })
      if (hits.length > 1) return []
      const [hit] = hits
      if (hit) {
        return [{ id: memory.id, to: hit.slug, rationale: `its ${what} says "${hit.word}"` }]
      }
    }
    return []
  })
}

const partsOf = ({ name, tags, description, body }: Own) => ({
  name: name.replaceAll('-', ' '),
  tags: tags.join(' ').replaceAll('-', ' '),
  description,
  body,
})

/** The words of a child's slug and label that neither the source nor another child has. */
function tellingWords(
  source: string,
  children: readonly Label[],
  slug: string,
  label: string,
): Set<string> {
  const wordsOf = (text: string) => new Set(wordsAsked(text.replaceAll('-', ' ')).keys())
  const own = new Set([...wordsOf(slug), ...wordsOf(label)])
  for (const word of wordsOf(source)) own.delete(word)
  for (const other of children) {
    if (other.slug === slug) continue
    for (const word of [...wordsOf(other.slug), ...wordsOf(other.label)]) own.delete(word)
  }
  return own
}

/** Tags of which each has so large a part of the memories name the children by themselves. */
const CLEAR = 0.3
const TOGETHER = 0.7

/** Children as two tags or more name them, when they cover a clear majority and hardly meet. Undefined: they do not. */
export function childrenByTags(memories: readonly Own[]): Label[] | undefined {
  const having = new Map<string, Set<string>>()
  for (const { id, tags } of memories) {
    for (const tag of tags) {
      if (tag.includes(':')) continue
      having.set(tag, (having.get(tag) ?? new Set()).add(id))
    }
  }
  const clear = [...having].filter(([, ids]) => ids.size >= CLEAR * memories.length)
  if (clear.length < 2) return undefined
  const covered = new Set(clear.flatMap(([, ids]) => [...ids]))
  const twice = clear.reduce((sum, [, ids]) => sum + ids.size, 0) - covered.size
  if (covered.size < TOGETHER * memories.length || twice > 0.1 * covered.size) return undefined
  return clear.map(([tag]) => ({ slug: tag, label: tag }))
}
