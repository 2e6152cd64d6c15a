/** What a model is learned from: passages of open projects and of the global scope, and sentences of some of them. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { textsOf, wordsAsked, wordsOf } from '../../passages/passages.ts'
import { sqlFile } from '../../postgres/sql-file.ts'
import type { Counted } from './gather.ts'

/** Passages that are learned from; the others are folded in. */
const MOST = 30_000
const AT_ONCE = 100

/** How much more of them there are when a model is learned anew at once, or checked again. */
export const GROWN = 1.5

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

/** At most some `most`, a few at a time; which ones follows from their hashes alone. */
export async function* sampled(
  db: Db,
  open: number,
  most: number = MOST,
): AsyncGenerator<Sampled[]> {
  // Hashes are hexadecimal digits, spread evenly.
  const part = Math.floor((most / Math.max(1, open)) * 16 ** 8)
  const below = open <= most ? 'g' : part.toString(16).padStart(8, '0')
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

/** A sentence that is asked, and the passage without it. */
export interface Taken {
  /** Of the passage. */
  hash: string
  /** Of the sentence. */
  words: Counted
  sentence: string
  rest: string
}

/** One sentence each of some items, in the order of the hashes of their passages. */
export async function sentencesOf(
  { db }: Pick<Kernel, 'db'>,
  passages: readonly Pick<Sampled, 'kind' | 'id' | 'hash'>[],
): Promise<Taken[]> {
  const most = Math.min(QUESTIONS, Math.floor(passages.length * ASKED))
  const found: Taken[] = []
  const seen = new Set<string>()
  for (const { kind, id, hash } of inOrder(passages)) {
    if (found.length >= most) break
    if (seen.has(id) || seen.has(hash)) continue
    seen.add(id).add(hash)
    const taken = sentenceOf((await textsOf(db, kind, id)).get(hash) ?? '')
    if (taken) found.push({ hash, ...taken })
  }
  return found
}

/** By their hashes. */
export const inOrder = <T extends { hash: string }>(passages: readonly T[]): T[] =>
  passages.toSorted((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))

const SHORTEST = 40
const LONGEST = 300
const FEWEST_WORDS = 5
const MOST_WORDS = 40

/** The one in the middle of those that are long enough to be asked; not the only one. */
function sentenceOf(text: string): Omit<Taken, 'hash'> | undefined {
  const sentences = text
    .split(/\n\s*\n|(?<=[.!?])\s+/)
    .map((part) => part.trim())
    .filter(({ length }) => length >= SHORTEST && length <= LONGEST)
    .map((part) => ({ part, asked: wordsAsked(part) }))
    .filter(({ asked }) => asked.size >= FEWEST_WORDS && asked.size <= MOST_WORDS)
  const middle = sentences[sentences.length >> 1]
  if (!middle || sentences.length < 2) return undefined
  const { part: sentence, asked } = middle
  const words = [...wordsOf(sentence).counts].filter(([lexeme]) => asked.has(lexeme))
  return { words, sentence, rest: text.replace(sentence, () => '') }
}
