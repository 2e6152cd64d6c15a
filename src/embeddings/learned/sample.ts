/** What a model is learned from: passages of open projects and of the global scope, and sentences of some of them. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { textsOf, wordsAsked, wordsOf } from '../../passages/passages.ts'
import { sqlFile } from '../../postgres/sql-file.ts'
import type { Counted } from './gather.ts'

/** Passages that are read; the others are folded in. */
const MOST = 30_000
const AT_ONCE = 100

/** Passages that no fence hides. */
export async function countOpen(db: Db): Promise<number> {
  const { rows } = await sql<{ passages: number }>`
    with open as (
      select number from projects where fence_allows('read', '', 'open', slug, isolation) union all select 0
    )
    select coalesce(sum(passages), 0)::float8 as passages
    from (select project, passages from passage_totals union all select project, passages from passage_changes) t
    where project in (select number from open)`.execute(db)
  return rows[0]?.passages ?? 0
}

export interface Sampled {
  kind: string
  id: string
  chunk: number
  hash: string
  words: string
}

const next = sqlFile<
  { kind: string; id: string; chunk: number; below: string; limit: number },
  Sampled
>('embeddings/sample')

/** Some at a time; which ones follows from their hashes alone. */
export async function* sampled(db: Db, open: number): AsyncGenerator<Sampled[]> {
  // Hashes are hexadecimal digits, spread evenly.
  const part = Math.floor((MOST / Math.max(1, open)) * 16 ** 8)
  const below = open <= MOST ? 'g' : part.toString(16).padStart(8, '0')
  let last = { kind: '', id: '', chunk: -1 }
  for (;;) {
    const rows = await next(db, { ...last, below, limit: AT_ONCE })
    const end = rows.at(-1)
    if (!end) return
    yield rows
    last = { kind: end.kind, id: end.id, chunk: end.chunk }
  }
}

const QUESTIONS = 200
/** Of five passages one is asked at most: what is asked is not learned. */
const ASKED = 0.2

/** One sentence each of some items, in the order of the hashes of their passages. */
export async function sentencesOf(
  { db }: Kernel,
  passages: readonly Pick<Sampled, 'kind' | 'id' | 'hash'>[],
): Promise<[hash: string, words: Counted][]> {
  const most = Math.min(QUESTIONS, Math.floor(passages.length * ASKED))
  const order = passages.toSorted((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  const found: [string, Counted][] = []
  const seen = new Set<string>()
  for (const { kind, id, hash } of order) {
    if (found.length >= most) break
    if (seen.has(id) || seen.has(hash)) continue
    seen.add(id).add(hash)
    const sentence = sentenceOf((await textsOf(db, kind, id)).get(hash) ?? '')
    if (sentence) found.push([hash, sentence])
  }
  return found
}

const SHORTEST = 40
const LONGEST = 300
const FEWEST_WORDS = 5
const MOST_WORDS = 40

/** The one in the middle of those that are long enough to be asked; not the only one. */
function sentenceOf(text: string): Counted | undefined {
  const sentences = text
    .split(/\n\s*\n|(?<=[.!?])\s+/)
    .map((part) => part.trim())
    .filter(({ length }) => length >= SHORTEST && length <= LONGEST)
    .map((part) => ({ part, asked: wordsAsked(part) }))
    .filter(({ asked }) => asked.size >= FEWEST_WORDS && asked.size <= MOST_WORDS)
  const middle = sentences[sentences.length >> 1]
  if (!middle || sentences.length < 2) return undefined
  return [...wordsOf(middle.part).counts].filter(([lexeme]) => middle.asked.has(lexeme))
}
