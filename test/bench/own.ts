/** The own questions, asked as agents ask them: what is found, in which voice, and whether recall knows how good that is. */
import type { Agent } from '../helpers/agent.ts'
import { each, learnedWeight, NONE, settle } from './asked.ts'
import { VOICES, type OwnItem } from './own-item.ts'
import { readOwnSet, type OwnQuestion, type OwnSet } from './own-set.ts'
import { median } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService, type Service } from './service.ts'

const AGENTS = 6
const LIMIT = 10
/** Least of the answers called strong that are right, and of the answerable questions that it is said of. */
const STRONG = { right: 0.9, said: 1 / 3 }
/** Least of the answers called none to which there is none, and of the unanswerable questions that it is said of. */
const NOTHING = { right: 0.9, said: 1 / 2 }
/** From the answer of a write to the answer of the first search that finds it by meaning. */
const FOUND_MS = 200
const JUST_WRITTEN = 20
const GIVEN_UP_MS = 5_000

/** What recall said to a question. */
interface Told {
  question: OwnQuestion
  /** The grades of its hits, best hit first. */
  grades: number[]
  evidence: string
}

export async function ownQuestions({ log }: Pick<BenchOptions, 'log'>): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const set = await readOwnSet()
  await using service = await openService({ LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' })
  const { agents, ids } = await writeOwn(service, set)
  log(`own: ${set.items.length} items, ${set.questions.length} questions`)
  const { kernel } = service.app
  const own = kernel.embedder
  kernel.embedder = NONE
  tell(report, 'none', await askAll(agents, ids, set))
  kernel.embedder = own
  const weight = await learnedWeight(kernel)
  if (weight === undefined) report.missed.push('own: nothing was learned')
  else {
    tell(report, `store at ${weight}`, await askAll(agents, ids, set))
    const found = await writeToFound(agents[0]!, set)
    report.rows.push({ set: 'own, just written', beside: 'store', ...found })
    if (!(found['found, ms']! <= FOUND_MS) || found['not found']! > 0)
      report.missed.push(`own: from write to found by meaning ${found['found, ms']} ms`)
  }
  return report
}

/**
 * How long after a memory is acknowledged it is found by meaning, as its agent sees it: the time of the searches until
 * then. Each is another one's text under a new name, with one word more.
 */
async function writeToFound(agent: Agent, { items }: OwnSet): Promise<Record<string, number>> {
  const times: number[] = []
  const facts = items.filter(({ kind, project }) => kind === 'memory' && project !== '')
  for (const [n, { project, title, body }] of facts.slice(0, JUST_WRITTEN).entries()) {
    const name = `just-written-${n}`
    const memory = { name, kind: 'reference', description: title, project }
    const { id } = await agent.call('memory_write', { ...memory, body: `${body} Number ${n}.` })
    const began = performance.now()
    while (performance.now() - began < GIVEN_UP_MS) {
      // Of one kind, or the words alone would fill the answer where the model counts nothing.
      const ask = { query: title, kind: 'reference', project, limit: LIMIT, explain: true }
      const { hits } = await agent.call('recall', ask)
      const found = (hits as { id: string; explain: { meaning?: object } }[]).find(
        (hit) => hit.id === id,
      )
      if (found?.explain.meaning) {
        times.push(performance.now() - began)
        break
      }
    }
  }
  return { 'found, ms': rounded(median(times)), 'not found': JUST_WRITTEN - times.length }
}

/** Writes every item through the tools; what was superseded first. */
export async function writeOwn(
  service: Service,
  { items }: OwnSet,
): Promise<{ agents: Agent[]; ids: Map<string, string> }> {
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => service.connect()))
  for (const project of new Set(items.map((item) => item.project))) {
    if (project !== '') await agents[0]!.call('project_create', { name: project })
  }
  const replaced = new Set(items.map(({ supersedes }) => supersedes))
  const ids = new Map<string, string>()
  const write = async (agent: Agent, item: OwnItem): Promise<void> => {
    ids.set(await writeItem(agent, item), item.id)
  }
  await each(
    agents,
    items.filter(({ id }) => replaced.has(id)),
    write,
  )
  await each(
    agents,
    items.filter(({ id }) => !replaced.has(id)),
    write,
  )
  await settle(service)
  return { agents, ids }
}

/** Returns the id of what was written. */
async function writeItem(agent: Agent, item: OwnItem): Promise<string> {
  const { kind, id: name, title, body } = item
  const project = item.project === '' ? 'global' : item.project
  if (kind === 'note')
    return (await agent.call('notes_create', { title, body, project }))['id'] as string
  if (kind === 'task')
    return (await agent.call('tasks_add', { title, body, project }))['id'] as string
  if (kind === 'memory') {
    const { memoryKind, supersedes } = item
    const memory = { name, kind: memoryKind, description: title, body, project }
    const written = await agent.call('memory_write', {
      ...memory,
      ...(supersedes !== undefined && { supersedes }),
    })
    return written['id'] as string
  }
  const { session_id: session } = await agent.call('session_start', { name, project })
  await agent.call('session_end', { findings: body, session })
  return session as string
}

async function askAll(
  agents: Agent[],
  ids: ReadonlyMap<string, string>,
  { questions }: OwnSet,
): Promise<Told[]> {
  const asked = await askOwn(agents, ids, questions, LIMIT)
  return asked.map(({ question, hits, evidence }) => ({
    ...{ question, evidence },
    grades: hits.map(({ item }) => question.grades[item] ?? 0),
  }))
}

/** The answer to one of the own questions, best hit first. */
export interface Answered {
  question: OwnQuestion
  hits: { item: string; score: number }[]
  evidence: string
}

/** @param limit hits of each */
export async function askOwn(
  agents: Agent[],
  ids: ReadonlyMap<string, string>,
  questions: readonly OwnQuestion[],
  limit: number,
): Promise<Answered[]> {
  const answered: Answered[] = []
  await each(agents, questions, async (agent, question) => {
    const { q: query, project } = question
    // Explained, so that what was found before is not asked for more and ranked higher.
    const answer = await agent.call('recall', { query, project, limit, explain: true })
    const hits = answer['hits'] as { id: string; score: number }[]
    answered.push({
      ...{ question, evidence: answer['evidence'] as string },
      hits: hits.map(({ id, score }) => ({ item: ids.get(id)!, score })),
    })
  })
  return answered
}

function tell({ rows, missed }: Report, beside: string, all: readonly Told[]): void {
  for (const half of ['tuning', 'kept'] as const) {
    const told = all.filter(({ question }) => question.half === half)
    const evidence = evidenceOf(told)
    rows.push({ set: `own, ${half}`, beside, ...found(told), ...evidence })
    if (half === 'tuning') continue
    for (const [what, least] of Object.entries({ strong: STRONG, none: NOTHING })) {
      for (const part of ['right', 'said'] as const) {
        const reached = evidence[`${what} ${part}`]!
        if (!(reached >= least[part]))
          missed.push(`own, ${beside}: ${what} ${part} ${reached} < ${rounded(least[part])}`)
      }
    }
    for (const voice of VOICES) {
      const some = told.filter(({ question }) => question.voice === voice)
      if (voice !== 'unanswered') rows.push({ set: `  ${voice}`, beside, ...found(some) })
    }
  }
}

/** How many of the answers are found, and how the graded items are ordered (nDCG, gain 2^grade − 1). */
function found(told: readonly Told[]): Record<string, number> {
  const asked = told.filter(({ question }) => question.voice !== 'unanswered')
  const mean = (of: (one: Told) => number): number =>
    rounded(asked.reduce((sum, one) => sum + of(one), 0) / asked.length)
  const within = (k: number) =>
    mean(({ grades }) => Number(grades.slice(0, k).some((grade) => grade === 2)))
  return {
    queries: asked.length,
    'R@1': within(1),
    'R@5': within(5),
    'R@10': within(10),
    'nDCG@10': mean(({ grades, question }) => {
      const ideal = Object.values(question.grades).sort((a, b) => b - a)
      return gained(grades) / gained(ideal)
    }),
  }
}

const gained = (grades: readonly number[]): number =>
  grades.slice(0, 10).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0)

/**
 * How often each band is said where it should be, and how often it is right when it is said: of none, whether there is
 * no answer, and whether at least no hit that was seen is one.
 */
function evidenceOf(told: readonly Told[]): Record<string, number> {
  const answerable = told.filter(({ question }) => question.voice !== 'unanswered')
  const unanswerable = told.filter(({ question }) => question.voice === 'unanswered')
  const strong = told.filter(({ evidence }) => evidence === 'strong')
  const none = told.filter(({ evidence }) => evidence === 'none')
  const part = (of: readonly Told[], is: (one: Told) => boolean): number =>
    of.length === 0 ? 0 : rounded(of.filter(is).length / of.length)
  return {
    'strong right': part(strong, ({ grades }) => (grades[0] ?? 0) > 0),
    'strong said': part(answerable, ({ evidence }) => evidence === 'strong'),
    'none right': part(none, ({ question }) => question.voice === 'unanswered'),
    'none seen': part(none, ({ grades }) => grades.every((grade) => grade === 0)),
    'none said': part(unanswerable, ({ evidence }) => evidence === 'none'),
  }
}

const rounded = (number: number): number => Math.round(number * 1000) / 1000
