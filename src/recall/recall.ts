/**
 * Recall: what the store knows about a question, best first.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in recall/.
 */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { wordsWritten, type ItemKind } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import { boost, withinReach } from './boosts.ts'
import { browse } from './browse.ts'
import { judge, type Evidence } from './evidence.ts'
import { recallMiss, retrievalInjected } from './events.ts'
import { explained, nearMisses, type Explained, type NearMiss } from './explain.ts'
import { hitOf, type Hit } from './hit.ts'
import { showLinked } from './links.ts'
import { depthFor, search, show, type Searched } from './search.ts'
import { fitting, showHits, type ShownHit } from './shown.ts'

export { IN_ITS_CALL, recallMiss, retrievalInjected } from './events.ts'
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
  hits: (ShownHit & { explain?: Explained })[]
  /** Left out of a list that was only looked through. */
  evidence?: Evidence
  /** Why meaning was not looked at. */
  degraded?: string
  near_misses?: NearMiss[]
  /** Why a list lacks something. */
  incomplete?: string
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
  const { candidates } = found
  const near = explain ? candidates : withinReach(candidates, limit)
  const showing =
    memoryKind === undefined
      ? showLinked(kernel, scope, near, candidates, at)
      : show(kernel, scope, near)
  const ranked = boost(await showing)
  const written = explain ? wordsWritten(query) : undefined
  const wanted = ranked.slice(0, limit)
  const shown = (await showHits(kernel.db, scope, query, wanted, at)).map((hit, nth) => ({
    ...hit,
    ...(written && { explain: explained(wanted[nth]!, written) }),
  }))
  const budget = kernel.config.budgets.recall_budget_tokens
  const beside = { hits: [], evidence: judge(candidates), ...degradedOf(found) }
  const answer = { ...beside, ...asManyAsFit(shown, beside, budget) }
  const { hits } = answer
  await remember(kernel, by, scope, question, hits)
  if (!explain) return answer
  const misses = nearMisses(ranked.slice(hits.length), hits.length, limit)
  return { ...answer, near_misses: fitting(misses, answer, budget) }
}

/** Who asks for many hits is told how many were found and left out. */
function asManyAsFit<Shown>(
  shown: Shown[],
  beside: object,
  budget: number,
): { hits: Shown[]; incomplete?: string } {
  if (fitting(shown, beside, budget).length === shown.length) return { hits: shown }
  const hits = fitting(shown, { ...beside, incomplete: noRoomFor(shown.length) }, budget)
  return { hits, incomplete: noRoomFor(shown.length - hits.length) }
}

const noRoomFor = (hits: number): string =>
  `an answer has no room for ${hits} more of what was found; ask more narrowly for them`

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
  const shown = await show(kernel, scope, withinReach(found.candidates, limit))
  return { hits: boost(shown).slice(0, limit).map(hitOf), ...degradedOf(found) }
}

const MORE = {
  incomplete: 'there are more of this kind, changed before these; look for them with a query',
}

/** Memories of one kind, newest first: looked through, not asked for. Says so when there are more. */
async function list(kernel: Kernel, by: Actor, scope: Scope, question: Question): Promise<Answer> {
  const { limit } = question
  const budget = kernel.config.budgets.recall_budget_tokens
  const found = await browse(kernel.db, scope, { ...question, limit: limit + 1 })
  const shown = await showHits(kernel.db, scope, '', found.slice(0, limit))
  const whole = { hits: fitting(shown, { hits: [] }, budget) }
  const isWhole = whole.hits.length === found.length
  const listed = isWhole ? whole : { hits: fitting(shown, { hits: [], ...MORE }, budget), ...MORE }
  if (found.length === 0) return { ...listed, evidence: 'none' }
  await remember(kernel, by, scope, question, listed.hits)
  return listed
}

const degradedOf = ({ degraded }: Searched): { degraded?: string } =>
  degraded === undefined ? {} : { degraded }

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
