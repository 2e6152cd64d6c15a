import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { randomFrom } from '../../src/dev/demo/random.ts'
import { runGardener } from '../../src/gardener/gardener.ts'
import { keepEventMonths } from '../../src/postgres/event-months.ts'
import { indexItem, updateStatistics } from '../../src/passages/passages.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { BenchOptions, Report } from './run.ts'

const MEMORIES = 20_000
const EVENTS = 1_000_000
const PROJECTS = 20
const CHANGED = 1_000
/** Seconds of the first run of all and of one after the changes, on a server; the embedded database takes twice as long. */
const FIRST_S = 300
const AGAIN_S = 60
/** What anybody waits for one statement of a run. */
const HELD_MS = 100
/** Recall's p95 beside a run, in that without one. */
const BESIDE = 2

/** A run of the gardener over a large store: the first of all, and one after some changes, with agents who recall. */
export async function gardenerLoad({ log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  await using house = await buildHouse({ within: true })
  const { kernel, database } = { kernel: house.app.kernel, database: house.app.database }
  const share = database.kind === 'embedded' ? 2 : 1
  const filling = performance.now()
  await database.unhurried(() => fill(house))
  log(`${MEMORIES} memories and ${EVENTS} events after ${seconds(filling)} s`)
  const held = await longestHold(house, async () => {
    await runGardener(kernel, ownerScope(), { ms: 10_000 })
    await sql`delete from gardener_marks`.execute(database.db)
    await sql`delete from proposals`.execute(database.db)
  })
  report.rows.push({ run: 'ten seconds, nobody beside', 'longest hold, ms': held })
  if (held > HELD_MS) report.missed.push(`a statement holds the database for ${held} ms`)
  const alone = await recalls(house, async () => sleep(20_000))
  for (const [what, limit] of [
    ['first', FIRST_S],
    ['after changes', AGAIN_S],
  ] as const) {
    if (what === 'after changes') await change(house)
    const began = performance.now()
    const passes: Record<string, number> = {}
    let runs = 0
    const beside = await recalls(house, async () => {
      for (;;) {
        runs++
        const run = await runGardener(kernel, ownerScope())
        for (const { pass, ms, failed } of run.passes) {
          if (failed !== undefined) throw new Error(`${pass}: ${failed}`)
          passes[pass] = (passes[pass] ?? 0) + ms
        }
        const { left } = run.passes.find(({ pass }) => pass === 'duplicates')!
        if (left === undefined) return
        // What was proposed is decided, or the next run would hold the rest back.
        await sql`update proposals set status = 'dismissed', resolved_at = loam_now()
          where status = 'pending'`.execute(database.db)
      }
    })
    const s = Number(seconds(began))
    const ratio = Number((beside.p95 / alone.p95).toFixed(2))
    report.rows.push({ run: what, runs, s, ...passes, 'recall p95, ms': beside.p95, ratio })
    if (s > limit * share) report.missed.push(`${what}: ${s} s`)
    if (ratio > BESIDE) report.missed.push(`${what}: recall beside it`)
  }
  return report
}

/** The longest that a bare statement waits while something is done, in milliseconds. */
async function longestHold(
  { app: { database } }: House,
  work: () => Promise<unknown>,
): Promise<number> {
  let [going, longest] = [true, 0]
  const working = work().finally(() => {
    going = false
  })
  while (going) {
    const began = performance.now()
    await sql`select 1`.execute(database.db)
    longest = Math.max(longest, performance.now() - began)
    await sleep(1)
  }
  await working
  return Math.round(longest)
}

/** Agents who recall again and again while something is done. */
async function recalls(house: House, work: () => Promise<unknown>): Promise<{ p95: number }> {
  const agent = await house.connect()
  const { next } = randomFrom(7)
  const times: number[] = []
  let going = true
  const working = work().finally(() => {
    going = false
  })
  while (going) {
    const began = performance.now()
    await agent.call('recall', {
      query: `${word(next)} ${word(next)} ${word(next)}`,
      project: `p${1 + Math.floor(next() * PROJECTS)}`,
    })
    times.push(performance.now() - began)
    await sleep(50)
  }
  await working
  await agent.close()
  const sorted = times.toSorted((a, b) => a - b)
  return { p95: Number((sorted[Math.floor(sorted.length * 0.95)] ?? 0).toFixed(1)) }
}

const VOCABULARY = 20_000
const word = (next: () => number): string => `wo${Math.floor(VOCABULARY ** next())}rd`

function text(next: () => number, words: number): string {
  return Array.from({ length: words }, () => word(next)).join(' ')
}

async function fill({ app: { kernel, database } }: House): Promise<void> {
  const { db } = database
  const { next } = randomFrom(11)
  await sql`
    insert into projects (id, slug, name)
    select 'P' || i, 'p' || i, 'p' || i from generate_series(1, ${PROJECTS}::int) i`.execute(db)
  for (let from = 0; from < MEMORIES; from += 200) {
    await inTransaction(kernel, async (kernel) => {
      for (let n = from; n < from + 200; n++) await remember(kernel, n, next)
    })
  }
  while ((await updateStatistics(kernel, { most: 100_000 })) > 0);
  await keepEventMonths(kernel)
  for (let from = 0; from < EVENTS; from += 50_000) {
    await sql`
      insert into events (id, ts, kind, transport, session_id, project, payload)
      select 'E' || lpad(i::text, 25, '0'), loam_now() - (i % 40) * interval '1 day' - i * interval '1 second' / 50,
        (array['tool.call', 'retrieval.injected', 'note.written', 'hook.prompt', 'recall.miss'])[1 + i % 5],
        i % 5 in (0, 3, 4), 'S' || (i % 500), 'p' || (1 + i % ${PROJECTS}),
        case i % 5
          when 0 then jsonb_build_object('tool', 'notes_read', 'error', i % 97 = 0, 'message', 'failed at ' || i)
          when 1 then jsonb_build_object('hook', 'session-start', 'source', 'briefing')
          when 4 then jsonb_build_object('query', 'how is thing ' || (i % 9000) || ' done', 'source', 'recall')
          else '{}' end
      from generate_series(${from}::int, ${from + 49_999}::int) i`.execute(db)
    await sql`
      insert into event_items (event_id, ts, transport, item_kind, item_id, class)
      select e.id, e.ts, false, 'memory', 'M' || lpad((hashint4(row_number() over ()::int) & 16383)::text, 25, '0'), 'shown'
      from events_acts e
      where e.kind = 'retrieval.injected' and e.id between ${`E${String(from).padStart(25, '0')}`}
        and ${`E${String(from + 49_999).padStart(25, '0')}`}`.execute(db)
  }
  await sql`analyze`.execute(db)
}

const idOf = (n: number): string => `M${String(n).padStart(25, '0')}`

async function remember(
  kernel: House['app']['kernel'],
  n: number,
  next: () => number,
): Promise<void> {
  const project = `p${1 + (n % PROJECTS)}`
  const [name, description, body] = [`memory-${n}`, text(next, 10), text(next, 60)]
  await sql`
    insert into memories (id, project, name, kind, description, body, valid_from, path, content_hash,
      created_at, updated_at, heading)
    values (${idOf(n)}, ${project}, ${name}, 'gotcha', ${description}, ${body}, loam_now(), ${`memory/${project}/${name}.md`},
      '', loam_now() - interval '200 days', loam_now() - interval '1 day' * ${120 - (n % 110)}, '')`.execute(
    kernel.db,
  )
  const item = { kind: 'memory' as const, id: idOf(n), project, active: true, title: name }
  await indexItem(kernel, { ...item, description, text: body, whole: true })
}

/** Some of them are written anew. */
async function change({ app: { kernel, database } }: House): Promise<void> {
  const { next } = randomFrom(13)
  await database.unhurried(async () => {
    for (let n = 0; n < CHANGED; n++) {
      const id = idOf(Math.floor(next() * MEMORIES))
      await sql`
        update memories set body = ${text(next, 60)}, updated_at = loam_now() where id = ${id}`.execute(
        kernel.db,
      )
    }
  })
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1)
