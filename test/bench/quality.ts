import { slugify } from '../../src/text/slug.ts'
import { byMeaning, embedQuery } from '../../src/embeddings/embeddings.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import type { Agent } from '../helpers/agent.ts'
import { atRandom, embedderOf, hashedWords, type Reading } from '../helpers/embedders.ts'
import { scopeOver } from '../helpers/places.ts'
import { playedBy } from '../helpers/played.ts'
import { checkedWeight, each, learnedWeight, NONE, readAll, settle } from './asked.ts'
import { wantOthers } from './hostile.ts'
import { byOneWord } from './one-word.ts'
import { ownQuestions } from './own.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'
import { readSets, type RetrievalSet } from './sets.ts'

/** Least R@5 and R@10 on the sets that have a history. */
const FLOORS: Record<string, { r5: number; r10: number }> = {
  pep_cite: { r5: 0.55, r10: 0.65 },
  rustblog_rfc: { r5: 0.72, r10: 0.78 },
  tldr_howto: { r5: 0.66, r10: 0.73 },
  engineering: { r5: 0.7, r10: 0.74 },
}
/** Least R@1 of the same questions asked by one word, with nothing configured. */
const ONE_WORD: Record<string, number> = { rustblog_rfc: 0.23, pep_cite: 0.17, tldr_howto: 0.125 }
/** As many as are asked for: room for the document that the question came from. */
const LIMIT = 20
const AGENTS = 6
/** What stands beside the words: what knows nothing, what knows a little, and played encoders: the judgments plus noise. */
const RETRIEVERS: Record<string, (set: RetrievalSet) => Reading> = {
  random: () => atRandom(256),
  'hashed words': () => hashedWords(256),
  'a weak encoder': (set) => playedBy(set, 3),
  'a good encoder': (set) => playedBy(set, 1.6),
}
/** What two retrievers may lose against the better of them. */
const LOSS = 0.005
const MEASURES = ['R@1', 'R@5', 'R@10'] as const

/**
 * Writes each set with notes_create and asks its questions with recall, over HTTP as agents do: by
 * words alone, and with vectors of every kind beside them; then each by one word, and at last when agents have asked for
 * other documents. The own questions come first.
 */
export async function quality({ sets, log, beside }: BenchOptions): Promise<Report> {
  const isWanted = (name: string): boolean => beside?.includes(name) ?? true
  const report = isWanted('own') ? await ownQuestions({ log }) : { rows: [], missed: [] }
  for (const set of await readSets(sets)) {
    await using service = await openService({ LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' })
    const { kernel } = service.app
    const own = kernel.embedder
    kernel.embedder = NONE
    const agents = await Promise.all(Array.from({ length: AGENTS }, () => service.connect()))
    await agents[0]!.call('project_create', { name: 'Bench' })
    const writing = performance.now()
    const written = await write(agents, set)
    const docs = new Map(written.map(({ id, doc }) => [id, doc]))
    await settle(service)
    log(`${set.name}: ${set.docs.length} documents in ${seconds(writing)} s`)

    const alone = await measure(set, agents, docs, 'none')
    report.rows.push(alone)
    const floor = FLOORS[set.name]
    if (floor && alone['R@5'] < floor.r5) report.missed.push(`${set.name}: R@5 < ${floor.r5}`)
    if (floor && alone['R@10'] < floor.r10) report.missed.push(`${set.name}: R@10 < ${floor.r10}`)

    kernel.embedder = own
    const weight = isWanted('store') ? await learnedWeight(kernel) : undefined
    if (weight !== undefined) {
      const learned = await measure(set, agents, docs, `store at ${weight}`)
      report.rows.push(learned)
      for (const at of MEASURES) {
        if (learned[at] < alone[at] - LOSS)
          report.missed.push(`${set.name}, store: ${at} < ${alone[at]}`)
      }
    }
    if (isWanted('one word')) {
      const word = await measure(byOneWord(set), agents, docs, 'one word')
      report.rows.push(word)
      const least = ONE_WORD[set.name]
      if (least && word['R@1'] < least) report.missed.push(`${set.name}, one word: R@1 < ${least}`)
    }

    for (const [name, read] of Object.entries(RETRIEVERS)) {
      if (!isWanted(name)) continue
      kernel.embedder = await embedderOf(kernel.db, name.replaceAll(' ', '-'), read(set))
      await readAll(kernel)
      const weight = await checkedWeight(kernel)
      const row = await measure(
        set,
        agents,
        docs,
        weight === undefined ? name : `${name} at ${weight}`,
      )
      const retriever = await measureRetriever(set, kernel, docs)
      report.rows.push(row)
      for (const at of MEASURES) {
        const best = Math.max(alone[at], retriever[at])
        if (row[at] < best - LOSS) report.missed.push(`${set.name}, ${name}: ${at} < ${best}`)
      }
    }

    if (!isWanted('demand')) continue
    kernel.embedder = NONE
    await wantOthers(agents, written)
    await kernel.telemetry.flush()
    const wanted = await measure(set, agents, docs, 'demand for others')
    report.rows.push(wanted)
    if (wanted.lifted === 0) report.missed.push(`${set.name}: nothing was in demand`)
    for (const at of MEASURES) {
      if (wanted[at] < alone[at] - LOSS)
        report.missed.push(`${set.name}, demand for others: ${at} < ${alone[at]}`)
    }
  }
  return report
}

interface Explained {
  boosts?: { utility?: number }
}

async function measure(
  set: RetrievalSet,
  agents: Agent[],
  docs: Map<string, string>,
  beside: string,
) {
  const scores = { r1: 0, r5: 0, r10: 0, mrr: 0, ndcg: 0 }
  const evidence: Record<string, number> = { strong: 0, weak: 0, none: 0 }
  let lifted = 0
  const asking = performance.now()
  await each(agents, set.queries, async (agent, { q, rel, src }) => {
    // Explained, so that what was found before is not asked for more and ranked higher.
    const question = { query: q, project: 'bench', limit: LIMIT, explain: true }
    const answer = await agent.call('recall', question)
    const hits = answer['hits'] as { id: string; explain: Explained }[]
    const found = hits.map(({ id }) => docs.get(id)!).filter((id) => id !== src)
    add(scores, found.slice(0, 10), new Set(rel))
    evidence[answer['evidence'] as string]!++
    if (hits.some(({ explain }) => explain.boosts?.utility)) lifted++
  })
  const asked = seconds(asking)

  const mean = (sum: number): number => Number((sum / set.queries.length).toFixed(3))
  return {
    set: set.name,
    beside,
    documents: set.docs.length,
    queries: set.queries.length,
    'R@1': mean(scores.r1),
    'R@5': mean(scores.r5),
    'R@10': mean(scores.r10),
    MRR: mean(scores.mrr),
    'nDCG@10': mean(scores.ndcg),
    strong: mean(evidence['strong']!),
    none: mean(evidence['none']!),
    lifted: mean(lifted),
    'queries/s': Math.round(set.queries.length / asked),
  }
}

/** The retriever by meaning alone. */
async function measureRetriever(set: RetrievalSet, kernel: Kernel, docs: Map<string, string>) {
  const scores = { r1: 0, r5: 0, r10: 0, mrr: 0, ndcg: 0 }
  for (const { q, rel, src } of set.queries) {
    const meant = await embedQuery(kernel, q)
    if (!meant || 'cause' in meant) throw new Error('the embedder is off')
    const near = await byMeaning(kernel.db, scopeOver('bench', ''), meant, ['note'], 60)
    const found = near.map(({ id }) => docs.get(id)!).filter((id) => id !== src)
    add(scores, found.slice(0, 10), new Set(rel))
  }
  const mean = (sum: number): number => sum / set.queries.length
  return { 'R@1': mean(scores.r1), 'R@5': mean(scores.r5), 'R@10': mean(scores.r10) }
}

interface Written {
  /** Of the note. */
  id: string
  title: string
  /** Which document it is. */
  doc: string
}

async function write(agents: Agent[], { docs }: RetrievalSet): Promise<Written[]> {
  const slugs = new Set<string>()
  const drafts = docs.map(({ id, text }) => {
    const own = titleOf(text)
    let title = own
    for (let n = 2; slugs.has(slugify(title)); n++) title = `${own} ${n}`
    slugs.add(slugify(title))
    return { doc: id, title, body: text }
  })
  const written: Written[] = []
  await each(agents, drafts, async (agent, { doc, title, body }) => {
    const note = await agent.call('notes_create', { title, body, project: 'bench' })
    written.push({ id: note['id'] as string, title, doc })
  })
  return written
}

/** Its `Title:` line or its first heading, else its first line of words; short enough for a title. */
function titleOf(text: string): string {
  const head = text.slice(0, 500)
  const line =
    /^Title: (.+)$/m.exec(head) ?? /^#+ (.+)$/.exec(head) ?? /.*[\p{L}\p{N}].*/u.exec(head)
  const title = (line?.[1] ?? line?.[0] ?? 'untitled').replaceAll('\\', '/').trim()
  return title.slice(0, 60)
}

function add(
  scores: { r1: number; r5: number; r10: number; mrr: number; ndcg: number },
  found: readonly string[],
  relevant: ReadonlySet<string>,
): void {
  const right = found.map((id) => relevant.has(id))
  const within = (k: number): number => right.slice(0, k).filter(Boolean).length / relevant.size
  const gain = (rank: number): number => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, i) => gain(i))
  scores.r1 += within(1)
  scores.r5 += within(5)
  scores.r10 += within(10)
  scores.mrr += right.includes(true) ? 1 / (right.indexOf(true) + 1) : 0
  scores.ndcg += right.reduce((sum, is, i) => sum + (is ? gain(i) : 0), 0) / total(ideal)
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
const seconds = (since: number): number => Math.round(performance.now() - since) / 1000
