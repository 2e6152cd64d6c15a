/**
 * The check of a configured model on passages of the store: how its cosines are told, and how far it is trusted beside the
 * words. It knows nothing of its own about either: every model has another scale, and some say nothing of such texts.
 */
import { sql } from 'kysely'
import type { EmbedOptions, EmbedTrouble } from '../kernel/embedder.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { textsOf } from '../passages/passages.ts'
import { openChild, type Child } from './learned/child.ts'
import { toGather } from './learned/fitting.ts'
import type { Told } from './learned/check-encoder.ts'
import type { Checked } from './learned/model.ts'
import { drawer } from './learned/random.ts'
import { countOpen, GROWN, inOrder, sampled, sentencesOf, type Sampled } from './learned/sample.ts'
import { FEWEST_PASSAGES } from './learned/store-embedder.ts'
import { readEach, type Taker } from './read-each.ts'

/** Passages that are looked at, of open projects and of the global scope. */
const MOST = 2_000
/** Texts in one request. */
const AT_ONCE = 32

interface Work {
  how: EmbedOptions
  going: () => boolean
}

/**
 * Checks a model that has read the whole store, when it was not checked yet or the store has grown by half since: some 500
 * short texts are sent to the provider. Returns the trouble that it met there; undefined when nothing was due, or it was
 * stopped.
 */
export async function checkEncoder(
  kernel: Kernel,
  model: number,
  { how, going }: Work,
): Promise<EmbedTrouble | 'checked' | undefined> {
  const { db } = kernel
  const passages = await countOpen(db)
  if (passages < FEWEST_PASSAGES || !(await isDue(db, model, passages))) return undefined
  using child = openChild()
  const seen: Sampled[] = []
  for await (const rows of sampled(db, passages, MOST)) {
    if (!going()) return undefined
    const read = await vectorsOf(db, model, rows)
    const known = rows.filter(({ hash }) => read.has(hash))
    seen.push(...known)
    await child.tell({ kind: 'passages', rows: known.map(toGather) })
    await child.tell({ kind: 'vectors', of: 'passages', rows: [...read] })
  }
  if (seen.length === 0) return undefined
  const taken = await sentencesOf(kernel, seen)
  await child.tell({
    kind: 'sentences',
    sentences: taken.map(({ hash, words }) => [hash, words]),
  })
  const asked: [keyof Told, Texts][] = [
    ['sentences', taken.map(({ hash, sentence }) => [hash, sentence])],
    ['rests', taken.map(({ hash, rest }) => [hash, rest])],
    ['copies', await copiesOf(db, seen)],
  ]
  for (const [of, texts] of asked) {
    const trouble = await readTexts(kernel, child, of, texts, { how, going })
    if (trouble) return trouble
  }
  await child.tell({ kind: 'check' })
  const checked = (await child.answer(going)) as Checked | undefined
  if (!checked) return undefined
  await db
    .updateTable('models')
    .set({ checked: JSON.stringify(checked), passages })
    .where('number', '=', model)
    .execute()
  kernel.log.info({ model, ...checked }, 'the configured model was checked on the passages')
  return 'checked'
}

async function isDue(db: Db, model: number, passages: number): Promise<boolean> {
  const row = await db
    .selectFrom('models')
    .select(['checked', 'passages'])
    .where('number', '=', model)
    .executeTakeFirst()
  return row !== undefined && (row.checked === null || passages >= GROWN * row.passages)
}

/** By the hashes of the passages. */
async function vectorsOf(
  db: Db,
  model: number,
  passages: readonly Sampled[],
): Promise<Map<string, Float32Array>> {
  const { rows } = await sql<{ hash: string; e: string }>`
    select v.hash, v.e::text as e
    from unnest(${passages.map(({ kind }) => kind)}::text[], ${passages.map(({ id }) => id)}::text[],
        ${passages.map(({ chunk }) => chunk)}::int[]) as f (kind, id, chunk)
      join vectors v on v.kind = f.kind and v.id = f.id and v.chunk = f.chunk and v.model = ${model}`.execute(
    db,
  )
  return new Map(rows.map(({ hash, e }) => [hash, Float32Array.from(JSON.parse(e) as number[])]))
}

type Texts = (readonly [hash: string, text: string])[]

/** Of texts of which none could be read yet, those that are given up before it is the provider that is given up. */
const MOST_LEFT_OUT = 8

/** Has the provider read these and hands on what it made of them. A text that it cannot read is left out. */
async function readTexts(
  { embedder }: Kernel,
  child: Child,
  of: keyof Told,
  texts: Texts,
  { how, going }: Work,
): Promise<EmbedTrouble | undefined> {
  let [read, leftOut] = [0, 0]
  const taker: Taker<{ hash: string; text: string }> = {
    async keep(some, { vectors }) {
      read += some.length
      const rows = some.map(({ hash }, i) => [hash, Float32Array.from(vectors[i]!)] as const)
      await child.tell({ kind: 'vectors', of, rows })
    },
    async leaveOut(_, trouble) {
      leftOut++
      const isOfAll = trouble.kind !== 'refused' && read === 0 && leftOut >= MOST_LEFT_OUT
      return isOfAll ? trouble : undefined
    },
  }
  for (let at = 0; at < texts.length && going(); at += AT_ONCE) {
    const some = texts.slice(at, at + AT_ONCE).map(([hash, text]) => ({ hash, text }))
    const trouble = await readEach(embedder, some, how, taker)
    if (trouble) return trouble
  }
  return undefined
}

const COPIES = 100
const SEED = 7
/** Of the words of an edited copy, those that are others. */
const CHANGED = 0.1

/** Some passages, lightly edited: every tenth word is one of the passage before. */
async function copiesOf(db: Db, passages: readonly Sampled[]): Promise<Texts> {
  const draw = drawer(SEED)
  const copies: [string, string][] = []
  let others: string[] = []
  for (const { kind, id, hash } of inOrder(passages).slice(0, COPIES)) {
    const text = (await textsOf(db, kind, id)).get(hash)
    if (text === undefined) continue
    const words = text.split(/(\s+)/)
    const changed = words.map((word) =>
      /\S/.test(word) && others.length > 0 && draw() < CHANGED
        ? others[Math.floor(draw() * others.length)]!
        : word,
    )
    copies.push([hash, changed.join('')])
    others = words.filter((word) => /\S/.test(word))
  }
  return copies
}
