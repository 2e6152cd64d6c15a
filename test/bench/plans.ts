/**
 * The functions of the search keep one plan for whatever they are asked. Beside each stands a copy of it here that is
 * planned anew for each call, as the planner would have it; both are asked the same, of many shapes, on a large store.
 */
import { sql } from 'kysely'
import { randomFrom, type Random } from '../../src/dev/demo/random.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { SEARCH } from '../../src/recall/by-words.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { median, quantile, rounded, timed } from './measure.ts'
import { fillPassages, VOCABULARY } from './recall.ts'
import type { BenchOptions, Report } from './run.ts'

const SHAPES = 100
const TURNS = 3
/**
 * A kept plan's time in that of a plan of its own: of all shapes together, and of nineteen in twenty. A plan of its own
 * need not look at a condition that its parameters settle: where every vector is compared, that saves it a fifth.
 */
const ALL = 1.3
const MOST = 1.5
const DIMS = 128
const MODEL = 1
const MEMORIES = 5_000
const LINKS = 4
const PROJECTS = 90
/** Projects of a scope: as agents ask for them, and nearly all there are, each by its name. */
const SCOPES = { few: [1, 1, 1, 2, 5, 30], many: [50, 70, PROJECTS] }
const FEW_OR_MANY = ['few', 'many'] as const
const BATCH = 2_500
const EVERY = 2 ** 31 - 1
const SEED = 11
const KEPT = / SET plan_cache_mode TO \S+/
/** In one process, as the kept one: where a fleet asks, a search that takes two takes one from another. */
const ANEW = " SET plan_cache_mode TO 'force_custom_plan' SET max_parallel_workers_per_gather TO 0"

export async function keptPlans({ rows: sizes, log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  for (const size of sizes) {
    await using database = await openTestDatabase({ statementLimitMs: 120_000 })
    await database.unhurried(async () => {
      const { db } = database
      await fillPassages(db, size)
      await fillMemories(db)
      await fillVectors(db, size)
      log(`${size} passages stand, on the ${database.kind} database`)
      // Both plans are those of one connection.
      await db.connection().execute(async (db) => {
        for (const name of await functionsOf(db)) {
          // What is asked of everything has no projects.
          for (const projects of name.includes('_all') ? (['few'] as const) : FEW_OR_MANY) {
            const found = await compare(db, name, size, SCOPES[projects])
            report.rows.push({
              ...{ passages: size, database: database.kind, function: name, projects },
              ...found,
            })
            log(JSON.stringify(report.rows.at(-1)))
            if (found['all, ratio'] > ALL || found['p95 ratio'] > MOST) {
              report.missed.push(`${name}, ${projects} of ${size} passages: a kept plan is slower`)
            }
          }
        }
      })
    })
  }
  return report
}

/** Those that keep their plan, each with a copy that does not, and has every way to the rows. */
async function functionsOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; source: string }>`
    select proname as name, pg_get_functiondef(oid) as source from pg_proc
    where proname like 'recall\\_%' and 'plan_cache_mode=force_generic_plan' = any (proconfig)
    order by proname`.execute(db)
  for (const { name, source } of rows) {
    const fresh = source
      .replace(`public.${name}(`, () => `public.${freshOf(name)}(`)
      .replace(/ SET enable_seqscan TO \S+/, '')
      .replace(KEPT, ANEW)
    await sql.raw(fresh).execute(db)
  }
  return rows.map(({ name }) => name)
}

const freshOf = (name: string): string => `fresh_${name}`

async function compare(db: Db, name: string, size: number, projects: readonly number[]) {
  const random = randomFrom(SEED)
  const ratios: number[] = []
  const sums = { kept: 0, fresh: 0, rows: 0 }
  for (let nth = 0; nth < SHAPES; nth++) {
    const given = argumentsOf(name, random, size, projects)
    const ask = (called: string) => sql`select * from ${sql.id(called)}(${sql.join(given)})`
    const times = { kept: [] as number[], fresh: [] as number[] }
    sums.rows += (await ask(name).execute(db)).rows.length
    for (let turn = 0; turn < TURNS; turn++) {
      times.kept.push(await timed(() => ask(name).execute(db)))
      times.fresh.push(await timed(() => ask(freshOf(name)).execute(db)))
    }
    const [kept, fresh] = [Math.min(...times.kept), Math.min(...times.fresh)]
    ratios.push(kept / fresh)
    sums.kept += kept
    sums.fresh += fresh
  }
  return {
    'rows, mean': rounded(sums.rows / SHAPES),
    'kept, ms': rounded(sums.kept / SHAPES),
    'anew, ms': rounded(sums.fresh / SHAPES),
    'all, ratio': rounded(sums.kept / sums.fresh),
    'p50 ratio': rounded(median(ratios)),
    'p95 ratio': rounded(quantile(ratios, 0.95)),
    'worst ratio': rounded(Math.max(...ratios)),
  }
}

/** What a function is asked, of a shape by chance. */
function argumentsOf(
  name: string,
  random: Random,
  size: number,
  projects: readonly number[],
): unknown[] {
  const scope = scopeOf(random, projects)
  const { kinds, ids, chunks } = itemsOf(random, size)
  const everywhere = random.chance(0.2)
  if (name.startsWith('recall_words')) {
    const lexemes = wordsOf(random)
    const at = name.endsWith('then') ? new Date() : null
    const { small, pool, most, words } = SEARCH
    return [
      ...[lexemes, lexemes.map(() => 1), kindsOf(random), random.between(5, 60)],
      ...[small, pool, most, words, '', at, random.chance(0.2), ...scope],
    ]
  }
  if (name.startsWith('recall_nearest')) {
    const depth = random.between(5, 60)
    const passages = Math.max(100, 4 * depth)
    return [
      ...[MODEL, vectorOf(random), kindsOf(random), '', depth, passages, EVERY],
      ...[random.chance(0.5), ...scope],
    ]
  }
  const others: Record<string, unknown[]> = {
    recall_items: [kinds, ids, everywhere, ...scope],
    recall_passages: [kinds, ids, chunks, random.between(500, 4_000), everywhere, ...scope],
    recall_shown: [kinds, ids, chunks, random.between(2_000, 12_000), ...scope, '', 'open'],
    recall_links: [ids.filter((id) => id.startsWith('M')), ...scope, null],
  }
  const given = others[name]
  if (!given) throw new Error(`what is ${name} asked?`)
  return given
}

/** So many projects, with the global scope or not; now and then with what they inherit from. */
function scopeOf(random: Random, counts: readonly number[]): [searched: string[], from: string[]] {
  const some = random.pick(counts)
  const slugs = random.shuffled(Array.from({ length: PROJECTS }, (_, i) => `p${i + 1}`))
  const searched = [...slugs.slice(0, some), ...(random.chance(0.6) ? [''] : [])]
  return [searched, random.chance(0.2) ? slugs.slice(some, some + 1) : []]
}

/** As often as they are: most questions ask for all kinds. */
const kindsOf = (random: Random): string[] =>
  random.pick([['memory', 'note', 'task', 'session', 'trial'], ['memory', 'note'], ['note']])

/** From the commonest words to the rarest, and now and then one that nobody has. */
function wordsOf(random: Random): string[] {
  const word = (): string =>
    random.chance(0.05) ? 'unheard' : `w${20 + Math.floor((VOCABULARY - 20) ** random.next())}`
  return [...new Set(Array.from({ length: random.between(1, 14) }, word))]
}

function itemsOf(random: Random, size: number) {
  const items = Array.from({ length: random.between(1, 40) }, () =>
    random.chance(0.5)
      ? { kind: 'note', id: `N${random.between(0, size - 1)}` }
      : { kind: 'memory', id: `M${random.between(0, MEMORIES - 1)}` },
  )
  return {
    kinds: items.map(({ kind }) => kind),
    ids: items.map(({ id }) => id),
    chunks: items.map(() => 0),
  }
}

const vectorOf = (random: Random): string =>
  JSON.stringify(Array.from({ length: DIMS }, () => random.next() - 0.5))

/** Memories that link to others by their names, in the projects that stand. */
async function fillMemories(db: Db): Promise<void> {
  await sql`
    insert into memories (id, project, name, kind, body, path, content_hash, valid_from, created_at, updated_at, heading)
    select 'M' || i, case when i % 10 = 0 then '' else 'p' || (i % ${PROJECTS} + 1) end, 'm' || i, 'reference',
      repeat('what is known of it ', 20), 'memories/' || i, '', loam_now(), loam_now(), loam_now(), ''
    from generate_series(0, ${MEMORIES - 1}::int) i`.execute(db)
  await sql`
    insert into links (source_kind, source_id, name, project)
    select 'memory', 'M' || i, 'm' || (i + j * ${PROJECTS}) % ${MEMORIES}::int, null
    from generate_series(0, ${MEMORIES - 1}::int) i, generate_series(1, ${LINKS}::int) j`.execute(
    db,
  )
  for (const table of ['memories', 'links'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}

/** One vector of a learned model for each passage. */
async function fillVectors(db: Db, size: number): Promise<void> {
  await sql`insert into models (name, dims) values ('bench', ${DIMS})`.execute(db)
  for (let from = 0; from < size; from += BATCH) {
    await sql`
      insert into vectors (kind, id, chunk, model, project, active, hash, e)
      select p.kind, p.id, 0, ${MODEL}, p.project, true, '', v.e
      from generate_series(${from}::int, ${Math.min(from + BATCH, size) - 1}::int) i
        join passages p on p.kind = 'note' and p.id = 'N' || i,
        lateral (
          select array_agg(hashint8(i::bigint * ${DIMS}::int + j)::real / 2147483648)::real[]::halfvec as e
          from generate_series(1, ${DIMS}::int) j
        ) v`.execute(db)
  }
  await sql`vacuum analyze vectors`.execute(db)
}
