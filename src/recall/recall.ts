/**
 * Recall: what the store knows about a question, best first.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in recall/.
 */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import type { ItemKind } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import { findByWords, findEverywhere, type Found } from './by-words.ts'
import { judge, type Evidence } from './evidence.ts'
import { recallMiss, retrievalInjected } from './events.ts'
import { age, oneLine, tok } from '../kernel/text.ts'

export { recallMiss, retrievalInjected } from './events.ts'
export { EVIDENCE, type Evidence } from './evidence.ts'

export interface Question {
  query: string
  /** What kinds of item to look for. */
  kinds: readonly ItemKind[]
  /** Hits at most. */
  limit: number
  /** The caller's own word for `kinds`, as it stands in the log. */
  scope: string
  /** Memories of one kind only. */
  memoryKind?: string
}

export interface Hit {
  kind: ItemKind
  id: string
  name: string
  title: string
  description: string
  /** Omitted for the global scope. */
  project?: string
  age: string
  source: 'fts'
  /** From 0 to 1: the share of what a passage full of every word of the question would have. */
  score: number
  favorite?: true
}

export interface Answer {
  hits: Hit[]
  evidence: Evidence
}

/**
 * Answers a question from what the scope may see, and records what was surfaced or missed.
 *
 * Any text is a question; one without a word to search by has no hits. The answer is as long as the
 * configured budget allows and has at least one hit if there is any.
 */
export async function recall(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  { query, kinds, limit, ...asked }: Question,
): Promise<Answer> {
  const found = await findByWords(kernel.db, scope, query, kinds, Math.max(60, 3 * limit))
  const hits = pack(found.map(hitOf), limit, kernel.config.budgets.recall_budget_tokens)
  await remember(kernel, by, scope, { query, limit, ...asked }, hits)
  return { hits, evidence: judge(found) }
}

/** What the owner's search finds: past every fence, no demand, and no budget but the limit. */
export async function ownerSearch(
  kernel: Kernel,
  query: string,
  kinds: readonly ItemKind[],
  limit: number,
): Promise<Hit[]> {
  const found = await findEverywhere(kernel.db, query, kinds, Math.max(60, 3 * limit))
  return found.slice(0, limit).map(hitOf)
}

const DESCRIPTION = 200

function hitOf({ kind, id, name, title, description, project, favorite, ...found }: Found): Hit {
  return {
    kind,
    id,
    name,
    title,
    description: oneLine(description, DESCRIPTION),
    ...(project !== '' && { project }),
    age: age(found.age),
    source: 'fts',
    score: Number(found.score.toFixed(6)),
    ...(favorite && { favorite: true as const }),
  }
}

/** The first hit always; then as many as fit. A hit that does not fit ends the answer. */
function pack(hits: readonly Hit[], limit: number, budget: number): Hit[] {
  let spent = 0
  const over = hits.findIndex(({ title, description }, i) => {
    spent += tok(title + description)
    return i > 0 && spent > budget
  })
  return hits.slice(0, Math.min(limit, over === -1 ? hits.length : over))
}

/** As much of a missed question as is kept, in characters. */
const QUERY_KEPT = 500

async function remember(
  { telemetry }: Kernel,
  by: Actor,
  { project }: Scope,
  { query, scope, limit, memoryKind }: Omit<Question, 'kinds'>,
  hits: readonly Hit[],
): Promise<void> {
  const about = { by, project, item: null }
  const kept = [...query.slice(0, 2 * QUERY_KEPT)].slice(0, QUERY_KEPT).join('')
  if (hits.length > 0) {
    const item_ids = hits.map(({ id }) => id)
    const item_scores = hits.map(({ score }) => score)
    const payload = { query: kept, item_ids, item_scores, source: 'recall' }
    await telemetry.push(retrievalInjected, { ...about, payload })
  } else {
    const payload = { query: kept, scope, limit, source: 'recall' }
    await telemetry.push(recallMiss, {
      ...about,
      payload: { ...payload, ...(memoryKind && { kind: memoryKind }) },
    })
  }
}
