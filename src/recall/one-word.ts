/**
 * A question of one word. The best passage of a long item says little of it: one that is about the word has it all over, has
 * it as it was asked, and early.
 */
import type { Db } from '../kernel/kernel.ts'
import { countForms, formsAsked, type ItemKind } from '../passages/passages.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'
import { callsFor } from './called.ts'
import { CHARACTERS } from './forms.ts'
import { keyOf } from './items.ts'

/** Hits that are looked at whole: the first. */
const WHOLE = 30

/**
 * What counts of an item, in equal parts: how often it has the word, how often as it was asked, and how early. Often is
 * counted for its length (BM25's b) and against what scores a half in an item of usual length; early in words before it.
 * Chosen on questions of one word over long and short documents.
 */
const [B, OFTEN, OFTEN_AS_ASKED, EARLY] = [0.3, 12, 1.5, 200]

interface Whole {
  kind: ItemKind
  id: string
  /** In words. */
  length: number
  /** How often the word stands in it. */
  occurrences: number
  /** Words in the passages before the first that has it. */
  before: number
  /** What that one and the three that have most of it say, the first one first. */
  said: string[]
}

type Asked = { kinds: ItemKind[]; ids: string[]; lexeme: string; characters: number }
const wholes = scopeSql<Asked, Whole, AnyScope>('recall/one-word', { kept: true })

/** The same hits, those first that are about the word. */
export async function byWhole<Hit extends { kind: ItemKind; id: string; score: number }>(
  db: Db,
  scope: AnyScope,
  { query, lexeme }: { query: string; lexeme: string },
  hits: readonly Hit[],
): Promise<(Hit & { called?: true })[]> {
  if (hits.length === 0) return []
  const read = hits.slice(0, WHOLE)
  const rows = await wholes(db, scope, {
    kinds: read.map(({ kind }) => kind),
    ids: read.map(({ id }) => id),
    lexeme,
    characters: CHARACTERS,
  })
  const known = new Map(rows.map((row) => [keyOf(row), row]))
  const usual = rows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, rows.length) || 1
  const forms = formsAsked(query)
  const isCalled = callsFor(query)
  const scored = read.map((hit) => {
    const whole = known.get(keyOf(hit))
    const called = isCalled(whole?.said[0] ?? '')
    const score = whole ? about(whole, forms, usual) : 0
    return { ...hit, score, ...(called && { called: true as const }) }
  })
  const least = Math.min(...scored.map(({ score }) => score))
  const rest = hits.slice(WHOLE).map((hit) => ({ ...hit, score: Math.min(least, hit.score) }))
  return [...scored.sort((a, b) => b.score - a.score), ...rest]
}

/** From 0 to 1. */
function about(whole: Whole, forms: ReadonlyMap<string, string>, usual: number): number {
  const longer = 1 - B + (B * whole.length) / usual
  const texts = whole.said.map((text) => countForms(text, forms))
  const asAsked = texts.reduce((sum, { counts }) => sum + total(counts), 0)
  const [first] = texts
  const before = whole.before + (first?.first ?? first?.length ?? 0)
  const parts = [
    half(whole.occurrences / longer, OFTEN),
    half(asAsked / longer, OFTEN_AS_ASKED),
    1 - half(before, EARLY),
  ]
  return parts.reduce((sum, part) => sum + part, 0) / parts.length
}

/** From 0 on towards 1, which is half way at `at`. */
const half = (value: number, at: number): number => value / (value + at)

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)
