import { availableParallelism, loadavg } from 'node:os'
import { sql } from 'kysely'
import type { Db, Kernel } from '../../src/kernel/kernel.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { claimTask, readyTasks, recount } from '../../src/tasks/tasks.ts'
import type { Agent } from '../helpers/agent.ts'
import { median, quantile, rounded, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'

const [TASKS, CHAIN, FAN] = [20_000, 5_000, 1_000]
const CALLS = 300
const EDGES = 40
/** Milliseconds within which 95 of 100 are answered. */
const [READY_LIMIT, EDGE_LIMIT] = [10, 20]
const AGENTS = 32
const CLAIMS = 1_500
/** Claims in the time of bare commits; where most are refused, because another was first, answers. */
const CLAIM_LIMIT = 0.25

/** The queue of a project of many tasks, edges in a long chain, and claims of many agents at once. */
export async function taskTimes({ log }: BenchOptions): Promise<Report> {
  await using service = await openService()
  await service.app.caughtUp
  const { database, kernel } = service.app
  await database.unhurried(() => fill(kernel, database.db))
  log(`${TASKS} tasks written`)
  const report: Report = { rows: [], missed: [] }
  // Milliseconds are of a machine that has nothing else to do.
  const calm = loadavg()[0]! <= availableParallelism()
  const add = (what: string, times: readonly number[], limit = Infinity): void => {
    const p95 = quantile(times, 0.95)
    const row = { what, 'p50, ms': rounded(median(times)), 'p95, ms': rounded(p95) }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (calm && p95 > limit) report.missed.push(`${what}: p95 ${rounded(p95)} ms`)
  }

  const agent = await service.connect()
  await agent.call('session_start', { project: 'many' })
  const scope = await scopeAt(kernel.db, 'many')
  const queue = { plan: '', limit: 50 }
  add('a round trip', await repeat(() => agent.call('project_list')))
  add('the queue, without the wire', await repeat(() => readyTasks(kernel, scope, queue)))
  add('tasks_ready', await repeat(() => agent.call('tasks_ready')), READY_LIMIT)
  add(
    'tasks_ready, everything blocked',
    await repeat(() => agent.call('tasks_ready', { plan: 'chain' })),
    READY_LIMIT,
  )
  add('tasks_list', await repeat(() => agent.call('tasks_list')))

  for (const [what, edge] of Object.entries(edgesOf(agent))) {
    const times: number[] = []
    for (let n = 0; n < EDGES; n++) times.push(await edge(n))
    add(what, times, EDGE_LIMIT)
  }
  await sql`create table one_row (number bigint)`.execute(database.db)
  const rounds: { commits: number; own: Claims; shared: Claims }[] = []
  const hands = await openHands(service.app)
  for (let round = 0; round < 3; round++) {
    const commits = await perSecond(CLAIMS, async (n) => {
      await sql`insert into one_row values (${n}::bigint)`.execute(database.db)
      return true
    })
    const own = await claimRate(hands, (n) => n)
    // As agents do it: each takes one of the first that it sees, which another may have taken.
    const shared = await claimRate(hands, (n, next) => next + (n % 4))
    rounds.push({ commits: commits.done, own, shared })
  }
  const ratioOf = (of: (round: (typeof rounds)[number]) => number): number =>
    rounded(median(rounds.map((round) => of(round) / round.commits)))
  for (const kind of ['own', 'shared'] as const) {
    const row = {
      what: `${AGENTS} agents on one queue, ${kind === 'own' ? 'each at its own task' : 'at the same four'}`,
      'claims a second': Math.round(median(rounds.map((round) => round[kind].done))),
      'in bare commits': ratioOf((round) => round[kind].done),
      'answers in bare commits': ratioOf((round) => round[kind].answered),
    }
    report.rows.push(row)
    log(JSON.stringify(row))
    const ratio = row[kind === 'own' ? 'in bare commits' : 'answers in bare commits']
    if (ratio < CLAIM_LIMIT) report.missed.push(`${row.what}: ${ratio} of the bare commit rate`)
  }
  return report
}

async function repeat(work: () => Promise<unknown>): Promise<number[]> {
  for (let n = 0; n < 20; n++) await work()
  const times: number[] = []
  for (let n = 0; n < CALLS; n++) times.push(await timed(work))
  return times
}

const link = (n: number): string => `C${String(n).padStart(5, '0')}`

/** Each answers the milliseconds of one edge, as an agent adds it. */
function edgesOf(agent: Agent): Record<string, (n: number) => Promise<number>> {
  const fresh = async (depends_on?: string): Promise<string> => {
    const task = { title: 'edge', plan: 'edges', ...(depends_on && { depends_on: [depends_on] }) }
    return (await agent.call('tasks_add', task))['id'] as string
  }
  const edge = (id: string, blocker: string): Promise<number> =>
    timed(() => agent.call('tasks_update', { id, add_depends_on: [blocker] }))
  return {
    'an edge before the chain': async () => edge(link(1), await fresh()),
    'an edge behind the chain': async () => edge(await fresh(), link(CHAIN)),
    'an edge in the middle of the chain': async (n) => {
      const at = CHAIN / 2 + n
      return edge(link(at + 1), await fresh(link(at)))
    },
    'an edge along the chain': (n) => edge(link(CHAIN - n), link(CHAIN / 2 - n)),
    'an edge that would close the chain': (n) =>
      timed(() =>
        agent
          .call('tasks_update', { id: link(1 + n), add_depends_on: [link(CHAIN - n)] })
          .catch(() => {}),
      ),
  }
}

/** Done and answered, refusals included, in a second. */
interface Claims {
  done: number
  answered: number
}

interface Hands {
  ready: string[]
  /** Takes it for the nth agent; false when it is refused. */
  claim(n: number, id: string): Promise<boolean>
}

async function openHands({
  kernel,
}: Awaited<ReturnType<typeof openService>>['app']): Promise<Hands> {
  const { db } = kernel
  const scope = await scopeAt(kernel.db, 'many')
  const sessions = Array.from({ length: AGENTS }, (_, n) => `S${n}`)
  await db
    .insertInto('sessions')
    .values(sessions.map((id) => ({ id, name: id, project: 'many' })))
    .execute()
  const ready = await db
    .selectFrom('tasks')
    .select('id')
    .where('project', '=', 'many')
    .where('plan', '=', '')
    .where('status', '=', 'open')
    .where('blocked', '=', false)
    .orderBy('id')
    .execute()
  return {
    ready: ready.map(({ id }) => id),
    claim(n, id) {
      const by = { session: sessions[n % AGENTS]!, model: '' }
      return claimTask(kernel, by, scope, id, { seconds: 900 }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Refusal) return false
          throw error
        },
      )
    },
  }
}

/** Takes what is ready; `which` tells at which place of it the nth attempt is made. */
async function claimRate(
  { ready, claim }: Hands,
  which: (n: number, next: number) => number,
): Promise<Claims> {
  let next = 0
  const rate = await perSecond(CLAIMS, async (n) => {
    const done = await claim(n, ready[which(n, next)]!)
    if (done) next++
    return done
  })
  // The last ones were tried for, and may be taken.
  ready.splice(0, next + 4)
  return rate
}

/** How often it succeeds in a second, and how often it ends, many at a time. */
async function perSecond(many: number, act: (n: number) => Promise<boolean>): Promise<Claims> {
  let [begun, done] = [0, 0]
  const started = performance.now()
  const lane = async (): Promise<void> => {
    while (begun < many) if (await act(begun++)) done++
  }
  await Promise.all(Array.from({ length: AGENTS }, lane))
  const seconds = (performance.now() - started) / 1_000
  return { done: done / seconds, answered: many / seconds }
}

/** A chain that is a plan of its own, one that waits for many, many that wait for one, and the rest. */
async function fill(kernel: Kernel, db: Db): Promise<void> {
  await sql`insert into projects (id, slug, name) values ('P', 'many', 'many')`.execute(db)
  const body = 'What whoever does it must know, in a paragraph of some length. '.repeat(4)
  await sql`
    insert into tasks (id, project, title, body, plan, created_at)
    select case when i <= ${CHAIN}::int then 'C' else 'T' end || lpad(i::text, 5, '0'), 'many',
      'Task ' || i, ${body}, case when i <= ${CHAIN}::int then 'chain' else '' end,
      loam_now() - interval '1 day' + i * interval '1 second'
    from generate_series(1, ${TASKS}::int) i`.execute(db)
  await sql`
    insert into task_deps
    select 'C' || lpad(i::text, 5, '0'), 'C' || lpad((i - 1)::text, 5, '0')
    from generate_series(2, ${CHAIN}::int) i`.execute(db)
  const first = CHAIN + 1
  await sql`
    insert into task_deps
    select 'T' || lpad(${first}::text, 5, '0'), 'T' || lpad((${first}::int + i)::text, 5, '0')
    from generate_series(1, ${FAN}::int) i`.execute(db)
  await sql`
    insert into task_deps
    select 'T' || lpad((${first + FAN}::int + i)::text, 5, '0'), 'T' || lpad((${first + FAN}::int)::text, 5, '0')
    from generate_series(1, ${FAN}::int) i`.execute(db)
  await recount({ ...kernel, db })
  for (const table of ['tasks', 'task_deps', 'task_totals']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  }
}
