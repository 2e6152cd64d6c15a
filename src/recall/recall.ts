/**
 * Recall: what the store knows about a question, best first.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in recall/.
 */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { estimateTokens } from '../text/text.ts'
import { wordsWritten, type ItemKind } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import { boost } from './boosts.ts'
import { browse } from './browse.ts'
import { judge, type Evidence } from './evidence.ts'
import { recallMiss, retrievalInjected } from './events.ts'
import { explained, nearMisses, type Explained, type NearMiss } from './explain.ts'
import { hitOf, type Hit } from './hit.ts'
import { withLinked } from './links.ts'
import { depthFor, search, type Found, type Searched } from './search.ts'

export { recallMiss, retrievalInjected } from './events.ts'
export { EVIDENCE, type Evidence } from './evidence.ts'
export { MATCHES, ownerSearch, type OwnersHit } from './owner-search.ts'
export type { Hit } from './hit.ts'
export { SOURCES } from './source.ts'

export interface Question {
  /** '' lists the memories of a kind. */
  query: string
  /** What kinds of item to look for. */
  kinds: readonly ItemKind[]
  /** Hits at most. */
  limit: number
  /** The caller's own word for `kinds`, as it stands in the log. */
  scope: string
  /** Memories of one kind only. */
  memoryKind?: string | undefined
  /** What was there then, with the text and the fences of today. */
  at?: Date | undefined
  /** Says why each hit is here and what fell out; no demand. */
  explain?: boolean
}

export interface Answer {
  hits: (Hit & { explain?: Explained })[]
  evidence: Evidence
  /** Why meaning was not looked at. */
  degraded?: string
  near_misses?: NearMiss[]
}

/**
 * Answers a question from what the scope may see, and records what was surfaced or missed.
 *
 * Any text is a question; one without a word to search by has no hits but those of its meaning. The
 * answer is as long as the configured budget allows and has at least one hit if there is any.
 */
export async function recall(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  question: Question,
): Promise<Answer> {
  const { query, kinds, limit, memoryKind, at, explain = false } = question
  if (query === '') return list(kernel, by, scope, question)
  const depth = depthFor(limit)
  const found = await search(kernel, scope, { query, kinds, depth, memoryKind, at, explain })
  const linked =
    memoryKind === undefined ? await withLinked(kernel, scope, found.found, at) : found.found
  const ranked = boost(linked)
  const packed = pack(ranked, limit, kernel.config.budgets.recall_budget_tokens)
  const written = explain ? wordsWritten(query) : undefined
  const hits = packed.map((one) => ({
    ...hitOf(one),
    ...(written && { explain: explained(one, written) }),
  }))
  await remember(kernel, by, scope, question, hits)
  return {
    hits,
    evidence: judge(found.found),
    ...degradedOf(found),
    ...(explain && { near_misses: nearMisses(ranked.slice(packed.length), packed.length, limit) }),
  }
}

/** What touches a text of which nobody asked: best first, no demand, nothing recorded. */
export async function related(
  kernel: Kernel,
  scope: Scope,
  text: string,
  kinds: readonly ItemKind[],
  limit: number,
): Promise<{ hits: Hit[]; degraded?: string }> {
  const asked = { query: text, kinds, depth: depthFor(limit) }
  const found = await search(kernel, scope, asked)
  return { hits: boost(found.found).slice(0, limit).map(hitOf), ...degradedOf(found) }
}

/** Memories of one kind, newest first: looked through, not asked for. */
async function list(kernel: Kernel, by: Actor, scope: Scope, question: Question): Promise<Answer> {
  const found = await browse(kernel.db, scope, question)
  const hits = pack(found, question.limit, kernel.config.budgets.recall_budget_tokens).map(hitOf)
  if (hits.length > 0) await remember(kernel, by, scope, question, hits)
  return { hits, evidence: 'none' }
}

const degradedOf = ({ degraded }: Searched): { degraded?: string } =>
  degraded === undefined ? {} : { degraded }

/** The first hit always; then as many as fit. A hit that does not fit ends the answer. */
function pack(found: readonly Found[], limit: number, budget: number): Found[] {
  let spent = 0
  const over = found.findIndex((one, i) => {
    const { title, description } = hitOf(one)
    spent += estimateTokens(title + description)
    return i >= limit || (i > 0 && spent > budget)
  })
  return over === -1 ? [...found] : found.slice(0, over)
}

/** As much of a missed question as is kept, in characters. */
const QUERY_KEPT = 500

async function remember(
  { telemetry }: Kernel,
  by: Actor,
  { project }: Scope,
  { query, scope, limit, memoryKind, explain }: Question,
  hits: readonly Hit[],
): Promise<void> {
  const about = { by, project, item: null }
  const kept = [...query.slice(0, 2 * QUERY_KEPT)].slice(0, QUERY_KEPT).join('')
  if (hits.length > 0) {
    const item_ids = hits.map(({ id }) => id)
    const item_scores = hits.map(({ score }) => score)
    const asked = query === '' ? 'recall-browse' : 'recall'
    const payload = {
      query: kept,
      item_ids,
      item_scores,
      source: explain ? 'recall-explain' : asked,
    }
    await telemetry.push(retrievalInjected, { ...about, payload })
  } else if (!explain) {
    const payload = { query: kept, scope, limit, source: 'recall' }
    await telemetry.push(recallMiss, {
      ...about,
      payload: { ...payload, ...(memoryKind && { kind: memoryKind }) },
    })
  }
}
