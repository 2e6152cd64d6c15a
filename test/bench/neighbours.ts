/**
 * Would an item be found better for what its session wrote just before and after it? The own questions, asked through
 * the tools, with a part of the neighbours' scores added to each hit's own. No such thing is in the product: it stays
 * out for as long as this finds no gain.
 */
import { learnedWeight, settle } from './asked.ts'
import { readFacts, readOwnSet, type OwnSet } from './own-set.ts'
import { askOwn, writeOwn, type Answered } from './own.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'

/** As many hits as an agent can ask for: a neighbour that is none of them adds nothing. */
const LIMIT = 100
const PARTS = [0, 0.1, 0.15, 0.3, 0.45]
/** What the best part has to bring, the mean of first places and places among five, on the half by which it was not chosen. */
const GAIN = 0.01

export async function neighbours({ log }: Pick<BenchOptions, 'log'>): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const set = await readOwnSet()
  const beside = await sessionNeighbours(set)
  await using service = await openService({ LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' })
  const { agents, ids } = await writeOwn(service, set)
  await settle(service)
  log(`neighbours: the store's own model weighs ${String(await learnedWeight(service.app.kernel))}`)
  const answerable = set.questions.filter(({ voice }) => voice !== 'unanswered')
  const asked = await askOwn(agents, ids, answerable, LIMIT)
  for (const half of ['tuning', 'kept'] as const) {
    const some = asked.filter(({ question }) => question.half === half)
    for (const part of PARTS) {
      const grades = some.map((one) => gradesOf(one, beside, part))
      const within = (k: number): number =>
        share(grades.filter((seen) => seen.slice(0, k).includes(2)).length, some.length)
      report.rows.push({ half, part, queries: some.length, 'R@1': within(1), 'R@5': within(5) })
    }
  }
  const best = pick(report.rows.filter(({ half }) => half === 'tuning'))
  const kept = (part: number) =>
    report.rows.find((row) => row['half'] === 'kept' && row['part'] === part)!
  const gain = (k: 'R@1' | 'R@5') => Number(kept(Number(best['part']))[k]) - Number(kept(0)[k])
  const first = gain('R@1').toFixed(3)
  const five = gain('R@5').toFixed(3)
  log(`neighbours: the best part is ${best['part']}, on the half kept apart ${first}, ${five}`)
  if ((Number(first) + Number(five)) / 2 >= GAIN)
    report.missed.push('neighbours help the own questions, and recall does not know of them')
  return report
}

/** The row whose first places and places among five come to most; of several the one that adds least. */
const pick = (rows: Report['rows']): Report['rows'][number] =>
  rows.reduce((best, row) => (worth(row) > worth(best) ? row : best))
const worth = (row: Report['rows'][number]): number => Number(row['R@1']) + Number(row['R@5'])

/**
 * Each item's two before and one after in a session. One session worked on each service, one subject after the other: it
 * wrote each fact with what else it left of it, and what is written day by day in between. What says the same of
 * another service was written in a session on that one.
 */
async function sessionNeighbours({ items }: OwnSet): Promise<Map<string, string[]>> {
  const sessions = new Map<string, { facts: string[][]; everyday: string[] }>()
  const sessionOn = (service: string) => {
    const session = sessions.get(service) ?? { facts: [], everyday: [] }
    sessions.set(service, session)
    return session
  }
  const ids = items.map(({ id }) => id)
  const unplaced = new Set(ids)
  for (const { id, of } of await readFacts()) {
    const own = [id, `${id}-note`, `${id}-task`, `${id}-finding`, `${id}-work`]
    const written = own.filter((one) => unplaced.delete(one))
    sessionOn(of.toLowerCase()).facts.push(written)
    for (const twin of ids.filter((one) => one.startsWith(`${id}-in-`))) {
      unplaced.delete(twin)
      sessionOn(twin.slice(`${id}-in-`.length)).facts.push([twin])
    }
  }
  for (const [service, { everyday }] of sessions) {
    everyday.push(...[...unplaced].filter((id) => id.startsWith(`${service}-`)))
  }
  const beside = new Map<string, string[]>()
  for (const { facts, everyday } of sessions.values()) {
    const each = Math.ceil(everyday.length / facts.length)
    const session = facts.flatMap((written, nth) => [
      ...written,
      ...everyday.slice(nth * each, (nth + 1) * each),
    ])
    for (const [at, id] of session.entries()) {
      beside.set(id, [...session.slice(Math.max(0, at - 2), at), ...session.slice(at + 1, at + 2)])
    }
  }
  return beside
}

/** The grades of the hits, best first, when each has this part of the mean of its neighbours' scores beside its own. */
function gradesOf(
  { question, hits }: Answered,
  beside: ReadonlyMap<string, string[]>,
  part: number,
): number[] {
  const own = new Map(hits.map(({ item, score }) => [item, score]))
  const whole = hits.map(({ item, score }) => {
    const near = beside.get(item) ?? []
    const sum = near.reduce((total, other) => total + (own.get(other) ?? 0), 0)
    return { item, score: score + (near.length === 0 ? 0 : (part * sum) / near.length) }
  })
  return whole.toSorted((a, b) => b.score - a.score).map(({ item }) => question.grades[item] ?? 0)
}

const share = (some: number, all: number): number => Math.round((some / all) * 1000) / 1000
