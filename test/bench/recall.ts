import { CompiledQuery, sql } from 'kysely'
import type { Database } from '../../src/postgres/database.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { byWords, SEARCH } from '../../src/recall/by-words.ts'
import { openTestDatabase } from '../helpers/database.ts'
import {
  ask as askMeaning,
  fillVectors,
  hybrid,
  meantQuestions,
  sharedWithExact,
} from './meaning.ts'
import { quantile, timed } from './measure.ts'
import { scopeOver } from '../helpers/places.ts'
import { ownerScope, type AnyScope } from '../../src/projects/projects.ts'
import { boundBy } from '../../src/projects/scope.ts'
import type { BenchOptions, Report } from './run.ts'

/** Round trips that a search may cost, by scope, at the largest size. */
const LIMITS = { project: 100, 'project + global': 200, everything: 800 }
/** The slowest twentieth against the median, in any scope of the largest size. */
const SPREAD = 4
/** The largest size against the smallest, searching everything. */
const GROWTH = 3
/** Of the obvious query's time. */
const OBVIOUS = 1 / 8
/** Of the best 20, the part that is shared with BM25 over every match. */
const SHARED = 0.8
const ROUNDS = 3
const QUESTIONS = 40
/** In a question, before the commonest are left out. */
const WORDS = 14

/** One project of a hundred has one row of a hundred; a tenth of all is global. */
const SCOPES = {
  project: scopeOver('p7'),
  'project + global': scopeOver('p7', ''),
  everything: ownerScope(),
}

/** The recall statement over memory-sized passages made of words as rare as words are. */
export async function recallTimes({ rows: sizes, log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const everything: number[] = []
  for (const size of sizes) {
    await using database = await openTestDatabase({ statementLimitMs: 120_000 })
    await database.unhurried(async () => {
      await fillPassages(database.db, size)
      await fillVectors(database.db, size)
    })
    log(`${size} passages stand, on the ${database.kind} database`)
    for (const [name, scope] of Object.entries(SCOPES)) {
      const row = await measure(database, scope)
      report.rows.push({ passages: size, scope: name, ...row })
      if (name === 'everything') everything.push(row['p50, R'])
      if (size !== sizes.at(-1)) continue
      if (row['p95 / p50'] > SPREAD) report.missed.push(`${name}: p95 / p50`)
      if (row['p50, R'] > LIMITS[name as keyof typeof LIMITS]) report.missed.push(`${name}: p50`)
      if (row['top 20 shared'] < SHARED) report.missed.push(`${name}: top 20 shared`)
      if (name === 'everything' && row['p50 / obvious'] > OBVIOUS) {
        report.missed.push(`${name}: p50 / obvious`)
      }
    }
  }
  if (everything.length > 1 && everything.at(-1)! / everything[0]! > GROWTH) {
    report.missed.push('everything: growth')
  }
  return report
}

async function measure(database: Database, scope: AnyScope) {
  const { db } = database
  const ask = (words: string[], over: object = {}): Promise<{ id: string }[]> => {
    const lexemes = words.filter((word) => !STOP_WORDS.has(word))
    const weights = lexemes.map(() => 1)
    return byWords(db, scope, {
      ...SEARCH,
      kinds: ['note'],
      depth: 60,
      lexemes,
      weights,
      ...over,
    })
  }
  const obvious = (words: string[]): Promise<unknown> => {
    const { searched, everywhere } = boundBy(scope)
    const asked = [words.join(' | '), searched, everywhere]
    return db.executeQuery(CompiledQuery.raw(OBVIOUS_QUERY, asked))
  }

  const both = hybrid(db, scope)
  const meant = await meantQuestions(db, QUESTIONS)
  const times = {
    search: [] as number[],
    obvious: [] as number[],
    trip: [] as number[],
    meaning: [] as number[],
    both: [] as number[],
  }
  let shared = 0
  let places = 0
  const near = { shared: 0, places: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, lexemes] of questions().entries()) {
      const question = meant[i]!
      times.trip.push(await timed(() => sql`select 1`.execute(db)))
      times.search.push(await timed(() => ask(lexemes)))
      times.trip.push(await timed(() => sql`select 1`.execute(db)))
      times.meaning.push(await timed(() => askMeaning(db, scope, question)))
      times.trip.push(await timed(() => sql`select 1`.execute(db)))
      times.both.push(await timed(() => both(lexemes, question)))
      if (round > 0) continue
      const exactly = await database.unhurried(() => sharedWithExact(db, scope, question))
      near.shared += exactly.shared
      near.places += exactly.places
      times.obvious.push(await database.unhurried(() => timed(() => obvious(lexemes))))
      const best = (await ask(lexemes)).slice(0, 20)
      const exact = await database.unhurried(() => ask(lexemes, { pool: 1e9, most: 1e9 }))
      const right = new Set(exact.slice(0, 20).map(({ id }) => id))
      shared += best.filter(({ id }) => right.has(id)).length
      places += right.size
    }
  }
  const [trip, search] = [quantile(times.trip, 0.5), quantile(times.search, 0.5)]
  return {
    'p50, R': round(search / trip),
    'p50, ms': round(search),
    'p95 / p50': round(quantile(times.search, 0.95) / search),
    'p50 / obvious': round(search / quantile(times.obvious, 0.5)),
    'top 20 shared': round(shared / Math.max(places, 1)),
    'meaning p50, R': round(quantile(times.meaning, 0.5) / trip),
    'meaning recall@20': round(near.shared / Math.max(near.places, 1)),
    'both p50, R': round(quantile(times.both, 0.5) / trip),
    'both p50, ms': round(quantile(times.both, 0.5)),
    'both p95 / p50': round(quantile(times.both, 0.95) / quantile(times.both, 0.5)),
  }
}

/** OR and ts_rank over every match: what one would write first. */
const OBVIOUS_QUERY = `
  select p.id, ts_rank(p.words, q) as score
  from to_tsquery('simple', $1) q, passages p
  where p.active and p.words @@ q
    and ($3::boolean or p.project in (select number from projects where slug = any ($2::text[]) union select 0 where '' = any ($2::text[])))
  order by score desc, p.id limit 20`

/** Words that there are, `w1` the commonest. */
export const VOCABULARY = 50_000
/** The commonest are what stop words are: a question has them, and they are not sought. */
const STOP_WORDS = new Set(Array.from({ length: 20 }, (_, i) => `w${i}`))
const BATCH = 2_500

/** Notes of 90 projects and the global scope, one passage each. */
export async function fillPassages(db: Db, size: number): Promise<void> {
  await sql`
    insert into projects (id, slug, name)
    select 'P' || i, 'p' || i, 'p' || i from generate_series(1, 90) i`.execute(db)
  for (let from = 0; from < size; from += BATCH) {
    const to = Math.min(from + BATCH, size)
    await sql`
      insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      select 'N' || i, case when i % 10 = 0 then '' else 'p' || (i / 10 % 90 + 1) end, 'n' || i,
        'title ' || i, '', 'notes/' || i, '', loam_now(), loam_now()
      from generate_series(${from}::int, ${to - 1}::int) i`.execute(db)
    // Ranks of words are drawn so that the n-th word is n times as rare as the first.
    await sql`
      insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
      select 'note', 'N' || i, 0, case when i % 10 = 0 then 0 else p.number end, true, 0, 0, 40, 1, '', w.words
      from generate_series(${from}::int, ${to - 1}::int) i
        join projects p on p.slug = 'p' || (i / 10 % 90 + 1),
        lateral (
          select string_agg('w' || ${drawn(sql`hashint8(i::bigint * 64 + j)`)} || ':' || j, ' ')::tsvector as words
          from generate_series(1, 40) j
        ) w`.execute(db)
  }
  await sql`
    insert into lexeme_stats
    select lexeme, project, count(*) from passages, unnest(words) group by lexeme, project`.execute(
    db,
  )
  await sql`
    insert into lexeme_totals select lexeme, sum(passages) from lexeme_stats group by lexeme`.execute(
    db,
  )
  await sql`
    insert into passage_totals select project, count(*), sum(length) from passages group by project`.execute(
    db,
  )
  for (const table of [
    'passages',
    'notes',
    'lexeme_stats',
    'lexeme_totals',
    'passage_totals',
    'projects',
  ]) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  }
}

const drawn = (hash: ReturnType<typeof sql>) =>
  sql`floor(exp((${hash}::float8 + 2147483648) / 4294967296 * ln(${VOCABULARY}::float8)))::int`

/** Sentences of words drawn like those of the texts. The same in every run. */
function questions(): string[][] {
  let state = 42
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const word = (): string => `w${Math.floor(VOCABULARY ** next())}`
  return Array.from({ length: QUESTIONS }, () => [...new Set(Array.from({ length: WORDS }, word))])
}

const round = (value: number): number => Number(value.toPrecision(3))
