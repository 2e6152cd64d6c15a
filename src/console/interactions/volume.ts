/** How much happened in the span that the feed shows, in forty bars. */
import { KEPT_STEP_MS, keptAnswers } from '../kept-answers.ts'
import type { ScreenApp } from '../screen.ts'
import { countVolume, timeOf, type VolumeRow } from './queries.ts'
import { CATEGORIES, type Category } from './rows.ts'

/** As many spans of equal length. */
export const BUCKETS = 40
/** As many of the newest events are counted, however long the span. */
const MOST = 20_000
const HEIGHT = 40
/** Of a window that ends now: a bar is no narrower than the time by which an answer that is kept may be late. */
const LEAST_KEPT_MS = BUCKETS * KEPT_STEP_MS
/** Before the first event of a moment. */
const FIRST_ID = '00000000000000000000000000'
/** Times are whole milliseconds, and a fortieth of a span is at least a fortieth of one. */
const TINY_MS = 1e-3

export interface Volume {
  from: Date
  until: Date
  buckets: Bucket[]
  counted: number
  /** Only the last of it is counted: since when that is all. */
  cut: Date | null
}

interface Bucket extends Partial<Record<Category, number>> {
  t: Date
  n: number
  latest_id?: string
}

/** @param after null is the beginning of the log, `until` null is now */
export async function volumeOf(
  { kernel: { db }, owner }: ScreenApp,
  after: Date | null,
  until: Date | null = null,
): Promise<Volume> {
  const end = until ?? new Date((await timeOf(db)).getTime() + 1)
  const count = async (): Promise<Volume> => {
    const rows = await countVolume(db, owner, { after, until: end, buckets: BUCKETS, most: MOST })
    return spread(rows, { after, end, isCut: rows[0]?.counted === MOST })
  }
  const spanMs = after ? end.getTime() - after.getTime() : Infinity
  if (until || spanMs < LEAST_KEPT_MS) return count()
  return keptAnswers(db)('volume', { seconds: after ? Math.round(spanMs / 1_000) : 0 }, count)
}

/** @param isCut whether there is more than was counted */
export function spread(
  rows: readonly VolumeRow[],
  { after, end, isCut }: { after: Date | null; end: Date; isCut: boolean },
): Volume {
  const from = after ?? rows[0]?.began ?? end
  const { counted = 0, since } = rows[0] ?? {}
  const byBucket = Map.groupBy(rows, ({ bucket }) => bucket)
  const wideMs = (end.getTime() - from.getTime()) / BUCKETS
  return {
    from,
    until: end,
    counted,
    cut: isCut && since ? since : null,
    buckets: Array.from({ length: BUCKETS }, (_, at) => ({
      t: new Date(Math.ceil(from.getTime() + at * wideMs - TINY_MS)),
      ...bucketOf(byBucket.get(at) ?? []),
    })),
  }
}

function bucketOf(rows: readonly VolumeRow[]): Omit<Bucket, 't'> {
  if (rows.length === 0) return { n: 0 }
  const latest = rows.map(({ latest }) => latest).toSorted()
  return {
    n: rows.reduce((sum, { n }) => sum + n, 0),
    latest_id: latest.at(-1)!,
    ...Object.fromEntries(rows.map(({ category, n }) => [category, n])),
  }
}

/** From the ground up. What is neither a call nor context is one part. */
const PARTS = [
  { tone: 'called', of: ['tool'] },
  { tone: 'injected', of: ['inject'] },
  { tone: 'other', of: ['prompt', 'session', 'plan'] },
] as const

/** As a page draws it: bars of 40 pixels, each a link to its stretch of the log. */
export function drawn(
  { buckets, from, until, counted, cut }: Volume,
  hrefOf: (from: Date, until: Date) => string = stretchHref,
) {
  const most = Math.max(1, ...buckets.map(({ n }) => n))
  const ends = [...buckets.slice(1).map(({ t }) => t), until]
  return {
    from,
    until,
    counted,
    cut,
    most,
    legend: legendOf(buckets),
    bars: buckets.map((bucket, at) => ({
      at,
      x: at * 10,
      from: bucket.t,
      until: ends[at]!,
      n: bucket.n,
      words: wordsOf(bucket),
      href: hrefOf(bucket.t, ends[at]!),
      parts: stacked(bucket, most),
    })),
  }
}

/** To what happened between two times. */
export const stretchHref = (from: Date, until: Date): string =>
  `/console/interactions?afterTs=${from.toISOString()}&before=${FIRST_ID}&beforeTs=${until.toISOString()}`

/** What each colour stands for that is seen, with the totals of all that it stands for. */
const legendOf = (buckets: readonly Bucket[]) =>
  PARTS.map(({ tone, of }) => ({
    tone,
    totals: of
      .map((category) => ({
        label: CATEGORIES[category],
        n: buckets.reduce((sum, bucket) => sum + (bucket[category] ?? 0), 0),
      }))
      .filter(({ n }) => n > 0),
  })).filter(({ totals }) => totals.length > 0)

const wordsOf = (bucket: Bucket): string =>
  (Object.keys(CATEGORIES) as Category[])
    .filter((category) => bucket[category])
    .map((category) => `${CATEGORIES[category].toLowerCase()} ${bucket[category]}`)
    .join(', ')

function stacked(bucket: Bucket, most: number) {
  const counts = PARTS.map(({ tone, of }) => ({
    tone,
    n: of.reduce((sum, category) => sum + (bucket[category] ?? 0), 0),
  })).filter(({ n }) => n > 0)
  let ground = HEIGHT
  return counts.map(({ tone, n }) => {
    const height = Math.max(1, Math.round((HEIGHT * n) / most))
    ground = Math.max(0, ground - height)
    return { tone, y: ground, height }
  })
}
