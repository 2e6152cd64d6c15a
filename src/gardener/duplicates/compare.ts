/** Pairs of memories that say the same, among those that may be compared, and which of two stays. */
import { featuresOf, type Features, type Written } from './features.ts'
import { signsOf, type Rarity } from './likeness.ts'
import { chanceOf } from './chance.ts'

/** A memory that is read once and compared with many. */
export interface Comparable {
  memory: Written
  features: Features
}

export const comparable = (memory: Written): Comparable => ({
  memory,
  features: featuresOf(memory),
})

/** What the database knows of a pair. */
export interface Known {
  /** How alike the two mean, from 0 to 1; null without vectors. */
  alike: number | null
  /** One links to the other: they are set apart on purpose. */
  linked: boolean
}

export interface Pair {
  keep: Written
  drop: Written
  /** How alike they are, 0 to 1. */
  score: number
}

/** From this chance on two memories are proposed to be merged. */
export const LIKELY = 0.5

/**
 * The two as a pair, when they are likely to say the same. `threshold` is the likeness in meaning that says so, too. What holds
 * everywhere is never dropped for what holds in one project, so that no other project loses it.
 */
export function pairOf(
  a: Comparable,
  b: Comparable,
  rarity: Rarity,
  { alike, linked }: Known,
  threshold: number,
): Pair | undefined {
  if (linked || !mayBeOne(a.memory, b.memory)) return undefined
  const chance = chanceOf(signsOf(a.features, b.features, rarity), alike, threshold)
  if (chance < LIKELY) return undefined
  const [keep, drop] = inOrder(a.memory, b.memory)
  if (drop.project === '' && keep.project !== '') return undefined
  return { keep, drop, score: Number(Math.max(chance, alike ?? 0).toFixed(2)) }
}

/** Both hold in one place, and none refutes what the other says. */
const mayBeOne = (a: Written, b: Written): boolean =>
  a.id !== b.id &&
  (a.project === b.project || a.project === '' || b.project === '') &&
  (a.kind === 'refuted') === (b.kind === 'refuted')

/** The one that stays first: a star, then a constraint, then the global one, then the newer. */
function inOrder(a: Written, b: Written): [Written, Written] {
  const rank = ({ favorite, kind, project }: Written) =>
    (favorite ? 4 : 0) + (kind === 'constraint' ? 2 : 0) + (project === '' ? 1 : 0)
  const first = rank(a) - rank(b) || a.updated_at.getTime() - b.updated_at.getTime()
  return first > 0 || (first === 0 && a.id < b.id) ? [a, b] : [b, a]
}
