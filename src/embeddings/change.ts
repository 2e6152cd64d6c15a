/** What a configured model has yet to read before it answers: how much, for how long, and what answers meanwhile. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { COMPLETE, PACE } from './store.ts'

export interface Change {
  model: string
  /** Active passages: those that it has read, and all. */
  made: number
  total: number
  /** How long the rest takes at the pace of what it read last; null while that is not known. */
  seconds: number | null
  /** Whether what was learned of the passages answers until then; words alone do otherwise. */
  learned: boolean
}

/** How fast a model reads. */
interface Pace {
  model: number
  /** Passages a second, without the time for which the provider was left alone. */
  speed: number
}

/** What is to be read by a model that is configured and not complete; undefined when nothing is. */
export async function changeOf({ db, embedder }: Kernel): Promise<Change | undefined> {
  const state = embedder.state()
  if (!state.on || state.learned) return undefined
  const { model, number } = state
  if (number > 0 && (await findSetting(db, COMPLETE)) === number) return undefined
  const [total, made, pace] = await Promise.all([
    countAll(db),
    countMade(db, number),
    findSetting(db, PACE) as Promise<Pace | undefined>,
  ])
  const left = total - made
  if (left <= 0) return undefined
  const seconds = pace?.model === number ? Math.ceil(left / pace.speed) : null
  return { model, made, total, seconds, learned: embedder.beside?.state().on === true }
}

/** Active passages, from the totals and from the changes that they do not count yet. */
async function countAll(db: Db): Promise<number> {
  const { rows } = await sql<{ passages: number }>`
    select coalesce(sum(passages), 0)::float8 as passages from (
      select passages from passage_totals union all select passages from passage_changes) t`.execute(
    db,
  )
  return rows[0]!.passages
}

/** Vectors that one statement looks at: well under 100 ms on the embedded database. */
const COUNTED_AT_ONCE = 5_000

/** Active passages that a model has read. Counted in parts, so that no statement is long. */
async function countMade(db: Db, model: number): Promise<number> {
  let made = 0
  let last = { kind: '', id: '', chunk: 0 }
  for (;;) {
    const { rows } = await sql<typeof last & { made: number }>`
      with part as materialized (
        select kind, id, chunk, model, active from vectors
        where (kind, id, chunk) > (${last.kind}, ${last.id}, ${last.chunk})
        order by kind, id, chunk limit ${COUNTED_AT_ONCE}
      )
      select kind, id, chunk, (select count(*)::int from part where model = ${model} and active) as made
      from part order by kind desc, id desc, chunk desc limit 1`.execute(db)
    const [row] = rows
    if (!row) return made
    made += row.made
    last = row
  }
}

/** At which intervals the pace is written down, in milliseconds. */
const NOTED_EVERY_MS = 5_000
/** The part of the last batch in what is noted: some ten batches count. */
const SHARE = 0.2

/** Keeps the pace of a worker, and writes it down now and then. */
export function pacer(): (
  kernel: Kernel,
  batch: { passages: number; ms: number },
) => Promise<void> {
  let pace: Pace | undefined
  let notedAtMs = -Infinity
  return async ({ db, embedder }, { passages, ms }) => {
    const state = embedder.state()
    if (!state.on || ms <= 0) return
    const speed = (1_000 * passages) / ms
    const before = pace?.model === state.number ? pace.speed : speed
    pace = { model: state.number, speed: (1 - SHARE) * before + SHARE * speed }
    if (performance.now() - notedAtMs < NOTED_EVERY_MS) return
    notedAtMs = performance.now()
    await putSetting(db, PACE, pace)
  }
}
