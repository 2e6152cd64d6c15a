/** Tags: those that agents choose, and those that tell what only Loam and its owner know. */
import { invalid } from '../kernel/refusal.ts'

/** Who made an item, and how far a captured plan is. */
const RESERVED = ['created-by:human', 'created-by:gardener', 'digest']
const RESERVED_START = 'plan-status:'

/** Nobody chooses among more. A file's head holds some thousand before it is too large to be read again. */
const MOST_KEPT = 100

/** Returns a tag in one spelling for all that look alike: case, width, accents, dashes and blanks do not count. */
const plainTag = (tag: string): string =>
  tag
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\s\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll(/[\u02d0\u2236\ua789]/g, ':')

/** Whether a tag is set by Loam or by the owner alone, however it is spelled. */
export function isReserved(tag: string): boolean {
  const plain = plainTag(tag)
  return RESERVED.includes(plain) || plain.startsWith(RESERVED_START)
}

export interface TagPatch {
  /** Replaces all tags. */
  tags?: readonly string[] | undefined
  tags_add?: readonly string[]
  tags_remove?: readonly string[]
}

/**
 * Replaces the tags, adds to them, then drops some; each is there once.
 *
 * Reserved ones stay as they are: left out of a full list or sent back in it. Refused when one is new, or is
 * to be dropped.
 */
export function patchTags(
  before: readonly string[],
  { tags = before, tags_add = [], tags_remove = [] }: TagPatch,
): string[] {
  const reserved = before.filter(isReserved)
  const stands = new Map(reserved.map((tag) => [plainTag(tag), tag]))
  const given = [...tags, ...tags_add].map((tag) => {
    if (!isReserved(tag)) return tag
    return stands.get(plainTag(tag)) ?? refuse(tag)
  })
  tags_remove.filter(isReserved).forEach(refuse)
  const removed = new Set(tags_remove)
  const after = [...new Set([...given, ...reserved])].filter((tag) => !removed.has(tag))
  refuseMany(before, after)
  return after
}

/** What was tagged with more by hand may keep them and lose some. */
function refuseMany(before: readonly string[], after: readonly string[]): void {
  if (after.length <= Math.max(MOST_KEPT, before.length)) return
  throw invalid(`an item has at most ${MOST_KEPT} tags; take some away with those that you add`)
}

function refuse(tag: string): never {
  throw invalid(
    `the tag ${JSON.stringify(tag.slice(0, 100))} is kept for Loam and its owner: agents neither add it ` +
      'nor take it away. Sent back as it stands it may stay in a list',
  )
}
