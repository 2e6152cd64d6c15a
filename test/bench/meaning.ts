/** The retriever by meaning, and both retrievers together, over vectors of topics and words like those of the texts. */
import { sql } from 'kysely'
import { byMeaning, type Meant } from '../../src/embeddings/embeddings.ts'
import { NOTHING_FOLDED, type Embedder } from '../../src/kernel/embedder.ts'
import type { Db, Kernel } from '../../src/kernel/kernel.ts'
import { scopeSql, type AnyScope } from '../../src/projects/projects.ts'
import { search } from '../../src/recall/search.ts'

export const DIMS = 1024
const MODEL = 1
const WORDS = 500
const TOPICS = 250
/** Of the best, as many must be those of an exact search. */
const BEST = 20
const DEPTH = 60
const BATCH = 500
const EVERY = 2 ** 31 - 1

/** A number that depends on a seed alone, from 0 to 1. */
const drawn = (seed: ReturnType<typeof sql>) =>
  sql`((hashint8(${seed})::float8 + 2147483648) / 4294967296)`

/** One vector for each passage that stands: of a topic, and of six words. */
export async function fillVectors(db: Db, size: number): Promise<void> {
  await sql`insert into models (name, dims) values ('bench@1024', ${DIMS})`.execute(db)
  await sql`create table bench_directions (n integer primary key, e halfvec not null)`.execute(db)
  await sql`alter table bench_directions alter column e set storage plain`.execute(db)
  // A topic counts as much as two words.
  for (let n = 0; n < WORDS + TOPICS; n += 50) {
    await sql`
      insert into bench_directions
      select n, array_agg(case when n < ${WORDS} then 1 else 2 end * (d.one + d.other - 1) order by j)::real[]::halfvec
      from generate_series(${n}::int, ${n + 49}::int) n, generate_series(1, ${DIMS}::int) j,
        lateral (select ${drawn(sql`n * 8192::bigint + j`)} as one, ${drawn(sql`n * 8192::bigint + 4096 + j`)} as other) d
      group by n`.execute(db)
  }
  for (let from = 0; from < size; from += BATCH) {
    const to = Math.min(from + BATCH, size)
    await sql`
      insert into vectors (kind, id, chunk, model, project, active, hash, e)
      select p.kind, p.id, 0, ${MODEL}, p.project, true, '', m.e
      from generate_series(${from}::int, ${to - 1}::int) i
        join passages p on p.kind = 'note' and p.id = 'N' || i,
        lateral (${meaning(sql`i`)}) m`.execute(db)
  }
  await sql`vacuum analyze vectors`.execute(db)
}

/** The topic of the seed, and six words, the first ones the commonest. */
const meaning = (seed: ReturnType<typeof sql>) => sql`
  select l2_normalize(sum(d.e)) as e
  from generate_series(0, 6) k
    join bench_directions d on d.n = case
      when k = 0 then ${WORDS} + floor(${TOPICS} * ${drawn(sql`${seed} * 31::bigint`)})::int % ${TOPICS}
      else floor(exp(${drawn(sql`${seed} * 64::bigint + k`)} * ln(${WORDS}::float8)))::int % ${WORDS} end`

/** What some questions mean. The same in every run. */
export async function meantQuestions(db: Db, count: number): Promise<Meant[]> {
  const { rows } = await sql<{ e: string }>`
    select m.e::text as e from generate_series(1, ${count}::int) i, lateral (${meaning(sql`(i + 7000000)`)}) m`.execute(
    db,
  )
  return rows.map(({ e }) => ({ model: MODEL, vector: JSON.parse(e) as number[] }))
}

export const ask = (db: Db, scope: AnyScope, meant: Meant) =>
  byMeaning(db, scope, meant, ['note'], DEPTH)

type Exactly = {
  model: number
  vector: string
  kinds: string[]
  memory_kind: string
  depth: number
  near: number
  most: number
  wholes: boolean
}
const exactly = scopeSql<Exactly, { id: string }, AnyScope>('recall/meaning-exact')

/** Of the best that an exact search finds, those that are among the best found; and how many there are. */
export async function sharedWithExact(db: Db, scope: AnyScope, meant: Meant) {
  const vector = JSON.stringify(meant.vector)
  const exact = await exactly(db, scope, {
    model: meant.model,
    vector,
    kinds: ['note'],
    memory_kind: '',
    depth: BEST,
    near: EVERY,
    most: EVERY,
    wholes: false,
  })
  const found = new Set((await ask(db, scope, meant)).slice(0, BEST).map(({ id }) => id))
  return { shared: exact.filter(({ id }) => found.has(id)).length, places: exact.length }
}

/** Recall's own search, with the vectors of its questions at hand. */
export function hybrid(
  db: Db,
  scope: AnyScope,
): (words: readonly string[], meant: Meant) => Promise<unknown> {
  let asked: Meant = { model: MODEL, vector: [] }
  const embedder: Embedder = {
    state: () => ({ on: true, model: 'bench', dims: DIMS, number: MODEL }),
    look: async () => ({ on: true, model: 'bench', dims: DIMS, number: MODEL }),
    embed: async () => ({ model: MODEL, vectors: [asked.vector] }),
    fold: () => NOTHING_FOLDED,
    forgetDims: async () => {},
    close: async () => {},
  }
  const kernel = { db, embedder } as unknown as Kernel
  return (words, meant) => {
    asked = meant
    return search(kernel, scope, { query: words.join(' '), kinds: ['note'], depth: DEPTH })
  }
}
