import { sql } from 'kysely'
import { together } from '../kernel/together.ts'
import type { Fold } from '../kernel/embedder.ts'
import type { Db } from '../kernel/kernel.ts'
import { reals } from '../postgres/numbers.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { ItemKind } from './item.ts'
import { NORMALISER, wordsOf } from './words.ts'

/** A passage as it is stored, without its words. */
export interface Stored {
  chunk: number
  /** Its project's number. */
  project: number
  active: boolean
  place: number
  hash: string
  normaliser: number
}

/** The state that indexing begins with. */
export interface Standing {
  /** By their numbers. */
  stored: Stored[]
  /** The project's number; null for a slug that nobody registered. */
  project: number | null
  /** The item waits for the background. */
  queued: boolean
}

type StandingParams = { kinds: string[]; ids: string[]; projects: string[] }
const standings = sqlFile<StandingParams, Standing>('passages/standing', { kept: true })
const findStanding = together(
  (db, items: readonly { kind: string; id: string; project: string }[]) =>
    standings(db, {
      kinds: items.map(({ kind }) => kind),
      ids: items.map(({ id }) => id),
      projects: items.map(({ project }) => project),
    }),
)

/**
 * The indexed state of an item. If the item waits for the background, the background waits until this
 * transaction has ended, and what it has just written is seen.
 */
export async function lockStanding(
  db: Db,
  kind: ItemKind,
  id: string,
  project: string,
): Promise<Standing> {
  const find = (): Promise<Standing> => findStanding(db, { kind, id, project })
  const standing = await find()
  if (!standing.queued) return standing
  const queued = await lockQueued(db, kind, id)
  return { ...(await find()), queued }
}

export interface NewPassage {
  chunk: number
  place: number
  size: number
  hash: string
  length: number
  counts: ReadonlyMap<string, number>
  /** What learned models read in it, and all that were at hand. */
  folds: readonly Fold[]
  held: readonly number[]
}

/** As keep_folded takes them. */
interface Folds {
  folded_kinds: string[]
  folded_ids: string[]
  folded_chunks: number[]
  folded_models: number[]
  folded_dims: number[]
  folds: Buffer
  held: readonly number[]
}

function foldsOf(passages: readonly { kind: string; id: string; passage: NewPassage }[]): Folds {
  const folded = passages.flatMap(({ passage, ...item }) =>
    passage.folds.map((fold) => ({ ...item, ...fold, chunk: passage.chunk })),
  )
  return {
    folded_kinds: folded.map(({ kind }) => kind),
    folded_ids: folded.map(({ id }) => id),
    folded_chunks: folded.map(({ chunk }) => chunk),
    folded_models: folded.map(({ model }) => model),
    folded_dims: folded.map(({ vector }) => vector.length),
    folds: reals(folded.flatMap(({ vector }) => vector)),
    held: passages[0]?.passage.held ?? [],
  }
}

export interface Put {
  kind: ItemKind
  id: string
  project: number
  active: boolean
  passages: readonly NewPassage[]
  gone: readonly number[]
}

type PutParams = {
  kind: string
  id: string
  project: number
  active: boolean
  normaliser: number
  chunks: number[]
  places: number[]
  sizes: number[]
  hashes: string[]
  lengths: number[]
  words: string[]
  gone: readonly number[]
  written_kinds: string[]
  written_ids: string[]
} & Folds
const put = sqlFile<PutParams, never>('passages/put', { kept: true })

export async function putPassages(db: Db, { passages, ...item }: Put): Promise<void> {
  const { kind, id } = item
  const written = passages.length > 0
  await put(db, {
    ...foldsOf(passages.map((passage) => ({ kind, id, passage }))),
    written_kinds: written ? [kind] : [],
    written_ids: written ? [id] : [],
    ...item,
    normaliser: NORMALISER,
    chunks: passages.map(({ chunk }) => chunk),
    places: passages.map(({ place }) => place),
    sizes: passages.map(({ size }) => size),
    hashes: passages.map(({ hash }) => hash),
    lengths: passages.map(({ length }) => length),
    words: passages.map(({ counts }) => vectorOf(counts)),
  })
}

type FirstParams = {
  kinds: string[]
  ids: string[]
  numbers: number[]
  actives: boolean[]
  normaliser: number
  places: number[]
  sizes: number[]
  hashes: string[]
  lengths: number[]
  words: string[]
} & Folds
const putFirst = sqlFile<FirstParams, never>('passages/put_first', { kept: true })

/** Writes the passage of an item that has none yet. */
export const putFirstPassage = together(
  async (db, items: readonly (Omit<Put, 'passages' | 'gone'> & { passage: NewPassage })[]) => {
    await putFirst(db, {
      ...foldsOf(items),
      kinds: items.map(({ kind }) => kind),
      ids: items.map(({ id }) => id),
      numbers: items.map(({ project }) => project),
      actives: items.map(({ active }) => active),
      normaliser: NORMALISER,
      places: items.map(({ passage }) => passage.place),
      sizes: items.map(({ passage }) => passage.size),
      hashes: items.map(({ passage }) => passage.hash),
      lengths: items.map(({ passage }) => passage.length),
      words: items.map(({ passage }) => vectorOf(passage.counts)),
    })
    return items.map(() => undefined)
  },
)

/** PostgreSQL counts no further than this in one lexeme. */
const MOST_POSITIONS = 255

/** A tsvector as text. A lexeme has as many positions as it has occurrences; which ones says nothing. */
export function vectorOf(counts: ReadonlyMap<string, number>): string {
  const entries: string[] = []
  for (const [lexeme, count] of counts) {
    const positions = Array.from({ length: Math.min(count, MOST_POSITIONS) }, (_, i) => i + 1)
    entries.push(`'${lexeme.replaceAll(/['\\]/g, '$&$&')}':${positions.join(',')}`)
  }
  return entries.join(' ')
}

/** The lexemes of a text, as a tsvector that the same words asked for will match. */
export const lexemesOf = (text: string): string => vectorOf(wordsOf(text).counts)

type MoveParams = { kind: string; id: string; chunks: number[]; places: number[] }
const move = sqlFile<MoveParams, never>('passages/move', { kept: true })

export async function movePassages(
  db: Db,
  kind: ItemKind,
  id: string,
  moved: readonly { chunk: number; place: number }[],
): Promise<void> {
  if (moved.length === 0) return
  const chunks = moved.map(({ chunk }) => chunk)
  await move(db, { kind, id, chunks, places: moved.map(({ place }) => place) })
}

async function lockQueued(db: Db, kind: ItemKind, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('passage_queue')
    .select('id')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** An item that waits for the background. */
export interface Queued {
  kind: string
  id: string
}

/** The item that has waited longest, whose turn it is, and that no other process works on. */
export function takeQueued(db: Db): Promise<Queued | undefined> {
  return db
    .selectFrom('passage_queue')
    .select(['kind', 'id'])
    .where('queued_at', '<=', sql<Date>`loam_now()`)
    .orderBy('queued_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** Puts an item at the end of the queue. */
export async function queue(db: Db, kind: ItemKind, id: string, passages: number): Promise<void> {
  await db
    .insertInto('passage_queue')
    .values({ kind, id, passages })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'id']).doUpdateSet({ passages, queued_at: sql<Date>`loam_now()` }),
    )
    .execute()
}

/** Lets an item wait, and the others go first. */
export async function putOff(db: Db, kind: string, id: string, seconds: number): Promise<void> {
  await db
    .updateTable('passage_queue')
    .set({ queued_at: sql<Date>`loam_now() + ${seconds} * interval '1 second'` })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}

export async function unqueue(db: Db, kind: string, id: string): Promise<void> {
  await db.deleteFrom('passage_queue').where('kind', '=', kind).where('id', '=', id).execute()
}

/** How many passages of a queued item are indexed already, and how many there will be. */
export async function findIndexing(
  db: Db,
  kind: ItemKind,
  id: string,
): Promise<{ done: number; of: number } | undefined> {
  const { rows } = await sql<{ done: number; of: number }>`
    select q.passages as of,
      (select count(*)::int from passages p where p.kind = q.kind and p.id = q.id) as done
    from passage_queue q
    where q.kind = ${kind} and q.id = ${id}`.execute(db)
  return rows[0]
}

/** Queues items that an older normaliser read; returns how many. */
export async function queueOlder(db: Db, most: number): Promise<number> {
  const result = await sql`
    insert into passage_queue (kind, id, passages)
    select kind, id, count(*) from passages
    where (kind, id) in (
      select kind, id from passages
      where normaliser < ${NORMALISER} or normaliser > ${NORMALISER}
      limit ${most}
    )
    group by kind, id
    order by kind, id
    on conflict do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/** Queues items without a file that recall cannot find yet. */
export async function queueUnindexed(db: Db): Promise<number> {
  const result = await sql`
    insert into passage_queue (kind, id, passages)
    select kind, id, 1 from (
      select 'session' as kind, id from sessions where findings <> ''
      union all
      select 'task', id from tasks
      union all
      select 'trial', id from trials
    ) items
    where not exists (select from passages p where p.kind = items.kind and p.id = items.id)
    order by kind, id
    on conflict do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
