/**
 * How alike two texts are to a model when they have nothing to do with each other. Every model has
 * its own scale of similarity: what is near to one says nothing to another.
 */
import { sql } from 'kysely'
import type { Embedder } from '../kernel/embedder.ts'
import type { Kernel } from '../kernel/kernel.ts'

export interface Background {
  /** Of the similarities of pairs of texts. */
  mean: number
  deviation: number
  /** How many pairs were looked at. */
  pairs: number
  dims: number
}

/** Vectors that are compared, each with two others. */
const SAMPLE = 256
/** Fewer pairs are measured anew with each question. */
const ENOUGH = 400
const KEPT_MS = 3_600_000

interface Measured {
  at: number
  background: Background
}
const measured = new WeakMap<Embedder, Map<number, Measured>>()

/** Measured over stored vectors of open projects and the global scope, and kept for an hour: what a fence holds teaches nobody. */
export async function backgroundOf(
  { db, embedder }: Kernel,
  model: number,
  dims: number,
): Promise<Background> {
  const known = measured.get(embedder) ?? new Map<number, Measured>()
  measured.set(embedder, known)
  const last = known.get(model)
  if (last && performance.now() - last.at < KEPT_MS) return last.background
  const { rows } = await sql<Omit<Background, 'dims'>>`
    with
      sample as materialized (
        select row_number() over () - 1 as nth, count(*) over () as all, id, e
        from (
          select v.id, v.e from vectors v
          where v.model = ${model} and v.chunk = 0 and v.project = any (array(
            select number from projects where fence_allows('read', '', 'open', slug, isolation)) || 0)
          limit ${SAMPLE}
        ) first
      )
    select count(*)::int as pairs, coalesce(avg(alike), 0) as mean, coalesce(stddev_samp(alike), 0) as deviation
    from sample a
      cross join (values (1), (7)) as step (width)
      join sample b on b.nth = (a.nth + step.width) % a.all and b.id <> a.id,
      lateral (select 1 - coalesce(nullif(a.e <=> b.e, 'NaN'), 1) as alike) s`.execute(db)
  const background = { pairs: 0, mean: 0, deviation: 0, ...rows[0], dims }
  if (background.pairs >= ENOUGH) known.set(model, { at: performance.now(), background })
  return background
}
