/** A model is learned from a large store: how long, in how much memory, what agents feel of it, and how well it finds. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { randomFrom, type Random } from '../../src/dev/demo/random.ts'
import { embedQuery, learnAgain, type Meant } from '../../src/embeddings/embeddings.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { indexItem, updateStatistics } from '../../src/passages/passages.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { NONE } from './asked.ts'
import { sharedWithExact } from './meaning.ts'
import { median, quantile } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

/** Of the process that learns, at the largest size. */
const FIT_S = 60
const FIT_MB = 300
/** A recall's median beside it, in that without it. */
const BESIDE = 1.5
/** Of the 20 that are nearest, the part that is found. */
const FOUND = 0.95

const PROJECTS = 20
const QUESTIONS = 100
const ALONE_MS = 15_000
/** Passages that are new when a model is learned for the second time. */
const MORE = 100

export async function learning({ rows: sizes, log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  for (const size of sizes) {
    await using house = await buildHouse({ within: true })
    const { kernel, database } = { kernel: house.app.kernel, database: house.app.database }
    const { embedder } = kernel
    // Or the service itself would learn meanwhile, as it does.
    kernel.embedder = NONE
    const filling = performance.now()
    await database.unhurried(async () => {
      await openProjects(house)
      await fill(house, 0, size)
    })
    log(`${size} passages stand after ${seconds(performance.now() - filling)} s`)

    const first = await watched(() => learnAgain({ ...kernel, embedder }))
    kernel.embedder = embedder
    const found = await nearestFound(house)
    // Of the same passages the same model is learned, which answers already.
    await database.unhurried(() => fill(house, size, size + MORE))
    const alone = await recalls(house, () => sleep(ALONE_MS))
    const beside = await recalls(house, () =>
      watched(() => learnAgain(kernel, { anew: true, pace: kernel.pace })),
    )
    const row = {
      ...{
        passages: size,
        database: database.kind,
        'fit, s': first.s,
        'fit, MB': Math.max(first.megabytes, beside.result.megabytes),
      },
      ...{ 'until it answers, s': first.wholeS, 'beside recalls, s': beside.result.wholeS },
      'fit beside recalls, s': beside.result.s,
      ...{ 'recall p50, ms': alone.p50, 'beside it': ratio(beside.p50, alone.p50) },
      ...{ 'recall p95, ms': alone.p95, 'p95 beside it': ratio(beside.p95, alone.p95) },
      'nearest 20 found': found,
    }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (first.s > FIT_S) report.missed.push(`${size}: a fit took ${first.s} s`)
    if (row['fit, MB'] > FIT_MB) report.missed.push(`${size}: a fit took ${row['fit, MB']} MB`)
    if (row['beside it'] > BESIDE) report.missed.push(`${size}: recall beside a fit`)
    if (found < FOUND) report.missed.push(`${size}: the nearest 20`)
  }
  return report
}

interface Watched {
  /** Seconds from the start of the process that learns to its end. */
  s: number
  /** Of that process, at most. */
  megabytes: number
  /** Seconds until the model answers. */
  wholeS: number
}

async function watched(learn: () => Promise<boolean>): Promise<Watched> {
  const began = performance.now()
  let [going, megabytes, firstSeen, lastSeen] = [true, 0, 0, 0]
  const learned = learn().finally(() => {
    going = false
  })
  while (going) {
    const kilobytes = await mostOfFit()
    if (kilobytes !== undefined) {
      firstSeen ||= performance.now()
      lastSeen = performance.now()
      megabytes = Math.max(megabytes, Math.round(kilobytes / 1024))
    }
    await sleep(100)
  }
  if (!(await learned)) throw new Error('nothing was learned')
  return {
    s: seconds(lastSeen - firstSeen),
    megabytes,
    wholeS: seconds(performance.now() - began),
  }
}

/** The most that the process which learns has had resident. */
async function mostOfFit(): Promise<number | undefined> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const of = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')
    if (!(await of('cmdline')).includes('/learned/fit-process')) continue
    const [, parent] = /PPid:\s+(\d+)/.exec(await of('status')) ?? []
    const [, most] = /VmHWM:\s+(\d+) kB/.exec(await of('status')) ?? []
    if (Number(parent) === process.pid && most) return Number(most)
  }
  return undefined
}

/** Of the passages that are nearest to questions, the part that a search finds; the questions are of the texts' kind. */
async function nearestFound({ app: { kernel } }: House): Promise<number> {
  const random = randomFrom(17)
  const sum = { shared: 0, places: 0 }
  for (let n = 0; n < QUESTIONS; n++) {
    const meant = await meantBy(kernel, sentence(random, random.between(0, TOPICS - 1), 10))
    if (!meant) continue
    const found = await sharedWithExact(kernel.db, ownerScope(), meant)
    sum.shared += found.shared
    sum.places += found.places
  }
  return Number((sum.shared / sum.places).toFixed(3))
}

async function meantBy(kernel: Kernel, text: string): Promise<Meant | undefined> {
  const meant = await embedQuery(kernel, text)
  return meant && !('cause' in meant) ? meant : undefined
}

/** An agent who recalls again and again while something is done. */
async function recalls<T>(house: House, work: () => Promise<T>) {
  const agent = await house.connect()
  const random = randomFrom(7)
  const times: number[] = []
  let going = true
  const working = work().finally(() => {
    going = false
  })
  for (let n = 0; going; n++) {
    const began = performance.now()
    await agent.call('recall', {
      query: sentence(random, random.between(0, TOPICS - 1), 6),
      project: `p${1 + random.between(0, PROJECTS - 1)}`,
    })
    // What is read for the first time is not counted.
    if (n >= 5) times.push(performance.now() - began)
    await sleep(50)
  }
  const result = await working
  await agent.close()
  return { p50: tenth(median(times)), p95: tenth(quantile(times, 0.95)), result }
}

async function openProjects({ app: { database } }: House): Promise<void> {
  await sql`
    insert into projects (id, slug, name)
    select 'P' || i, 'p' || i, 'p' || i from generate_series(1, ${PROJECTS}::int) i`.execute(
    database.db,
  )
}

/** Notes of one passage each, from one number up to another. */
async function fill({ app: { kernel, database } }: House, first: number, end: number) {
  const random = randomFrom(11 + first)
  const { rows } = await sql<{ slug: string; number: number }>`
    select slug, number from projects`.execute(database.db)
  const numbers = new Map(rows.map(({ slug, number }) => [slug, number]))
  for (let from = first; from < end; from += AT_ONCE) {
    const notes = Array.from({ length: Math.min(AT_ONCE, end - from) }, (_, at) => {
      const n = from + at
      const id = `N${String(n).padStart(25, '0')}`
      const project = `p${1 + (n % PROJECTS)}`
      return { id, project, title: `note-${n}`, body: text(random) }
    })
    await inTransaction(kernel, async (kernel) => {
      await sql`
        insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
        select id, project, title, title, body, 'notes/' || title, '', loam_now(), loam_now()
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n (id text, project text, title text, body text)`.execute(
        kernel.db,
      )
      await Promise.all(
        notes.map(({ id, project, title, body }) =>
          indexItem(
            kernel,
            { kind: 'note', id, project, active: true, title, text: body },
            numbers.get(project)!,
          ),
        ),
      )
    })
  }
  while ((await updateStatistics(kernel, { most: 100_000 })) > 0);
  await sql`vacuum analyze`.execute(database.db)
}

const AT_ONCE = 250
const TOPICS = 250
/** Words of one topic alone, and of the whole language. */
const OF_TOPIC = 300
const VOCABULARY = 50_000
const SENTENCES = 6
const SENTENCE = 13

/** Sentences on two topics. */
function text(random: Random): string {
  const topics = [random.between(0, TOPICS - 1), random.between(0, TOPICS - 1)]
  return Array.from({ length: SENTENCES }, () =>
    sentence(random, random.pick(topics), SENTENCE),
  ).join(' ')
}

/** Half of its words are of the topic. The n-th word is n times as rare as the first, of either. */
const sentence = (random: Random, topic: number, words: number): string =>
  `${Array.from({ length: words }, () =>
    random.chance(0.5)
      ? `t${topic}w${Math.floor(OF_TOPIC ** random.next())}`
      : `w${Math.floor(VOCABULARY ** random.next())}`,
  ).join(' ')}.`

const seconds = (ms: number): number => tenth(ms / 1000)
const tenth = (number: number): number => Number(number.toFixed(1))
const ratio = (one: number, other: number): number => Number((one / other).toFixed(2))
