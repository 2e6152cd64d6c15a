import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byMeaning, type Meant } from '../../src/embeddings/embeddings.ts'
import { ownerScope, scopeSql, type AnyScope } from '../../src/projects/projects.ts'
import { scopeOver } from '../helpers/places.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { wordVector } from '../helpers/provider.ts'

const database = await openTestDatabase()
const { db } = database
afterAll(() => database.close())

const DIMS = 256
const WORDS = Array.from({ length: 300 }, (_, i) => `w${i}`)
let state = 11
const below = (most: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * most)
}
/** Some words of a small region, as texts about one thing have. */
const text = (): string => {
  const region = below(290)
  return Array.from({ length: 8 }, () => WORDS[region + below(10)]).join(' ')
}
const meant = (words: string, dims = DIMS): Meant => ({
  model: 1,
  vector: wordVector('', words, dims),
})

interface Row {
  kind?: string
  id: string
  chunk?: number
  model?: number
  project?: number
  active?: boolean
  vector: number[]
}

async function put(rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 200) {
    const some = rows.slice(from, from + 200)
    await sql`
      insert into vectors (kind, id, chunk, model, project, active, hash, e)
      select * from unnest(
        ${some.map(({ kind = 'note' }) => kind)}::text[], ${some.map(({ id }) => id)}::text[],
        ${some.map(({ chunk = 0 }) => chunk)}::int[], ${some.map(({ model = 1 }) => model)}::int[],
        ${some.map(({ project = 0 }) => project)}::int[], ${some.map(({ active = true }) => active)}::bool[],
        array_fill(''::text, array[${some.length}::int]), ${some.map(({ vector }) => JSON.stringify(vector))}::text[]::halfvec[])`.execute(
      db,
    )
  }
}

/** As the passages of the scope would have been told. */
const total = (project: number, passages: number) =>
  sql`insert into passage_totals values (${project}, ${passages}, 1)
    on conflict (project) do update set passages = excluded.passages`.execute(db)

type Exact = {
  model: number
  vector: string
  kinds: string[]
  memory_kind: string
  depth: number
  near: number
  most: number
  wholes: boolean
}
const exactly = scopeSql<Exact, { id: string }>('recall/meaning-exact')

describe('a search by meaning', () => {
  beforeAll(async () => {
    await sql`insert into projects (id, slug, name) values ('A', 'atlas', 'A'), ('B', 'ledger', 'B')`.execute(
      db,
    )
  })
  const number = async (slug: string): Promise<number> =>
    (
      await db
        .selectFrom('projects')
        .select('number')
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow()
    ).number

  test('sees active vectors of the model, of its projects and its kinds', async () => {
    const [atlas, ledger] = [await number('atlas'), await number('ledger')]
    const vector = wordVector('', 'tide', 32)
    await put([
      { id: 'own', project: atlas, vector },
      { id: 'global', vector },
      { id: 'foreign', project: ledger, vector },
      { id: 'resting', project: atlas, active: false, vector },
      { id: 'other', project: atlas, model: 2, vector },
      { id: 'task', kind: 'task', project: atlas, vector },
    ])
    const ids = async (scope: AnyScope, kinds: ('note' | 'task')[]) =>
      (await byMeaning(db, scope, meant('tide', 32), kinds, 60)).map(({ id }) => id)

    expect(await ids(scopeOver('atlas', ''), ['note'])).toEqual(['global', 'own'])
    expect(await ids(scopeOver('atlas'), ['note'])).toEqual(['own'])
    expect(await ids(scopeOver('atlas', ''), ['note', 'task'])).toEqual(['global', 'own', 'task'])
    expect(await ids(scopeOver('nowhere'), ['note'])).toEqual([])
    expect(await ids(scopeOver(), ['note'])).toEqual([])
    expect(await ids(ownerScope(), ['note'])).toEqual(['foreign', 'global', 'own'])
    await db.deleteFrom('vectors').execute()
  })

  test('an item is as near as its best passage, and a text of nothing is near to nothing', async () => {
    await put([
      { id: 'long', chunk: 0, vector: wordVector('', 'bread', 32) },
      { id: 'long', chunk: 1, vector: wordVector('', 'tide', 32) },
      { id: 'empty', vector: Array(32).fill(0) },
    ])
    const near = await byMeaning(db, scopeOver(''), meant('tide', 32), ['note'], 60)
    expect(near.map(({ id }) => id)).toEqual(['long', 'empty'])
    expect(near[0]!.similarity).toBeCloseTo(1, 2)
    expect(near[1]!.similarity).toBe(0)
    const nothing = await byMeaning(
      db,
      scopeOver(''),
      { model: 1, vector: Array(32).fill(0) },
      ['note'],
      60,
    )
    expect(nothing.map(({ similarity }) => similarity)).toEqual([0, 0])
    await db.deleteFrom('vectors').execute()
  })

  test('a long item keeps no other one out, however many of its passages are near', async () => {
    const turned = (degrees: number) => {
      const angle = (degrees * Math.PI) / 180
      return [Math.cos(angle), Math.sin(angle), ...Array<number>(30).fill(0)]
    }
    const passages = (id: string, many: number, degrees: number) =>
      Array.from({ length: many }, (_, chunk) => ({ id, chunk, vector: turned(degrees) }))
    await put([
      ...passages('long', 1_500, 1),
      ...passages('next', 300, 10),
      ...Array.from({ length: 40 }, (_, i) => passages(`short${i}`, 1, 20 + i)).flat(),
    ])
    const asked = { model: 1, vector: turned(0) }
    const ask = (depth: number) => byMeaning(db, scopeOver(''), asked, ['note'], depth)
    const found = await ask(20)
    expect(found.map(({ id }) => id)).toEqual([
      'long',
      'next',
      ...Array.from({ length: 18 }, (_, i) => `short${i}`),
    ])
    expect(found.map(({ chunk }) => chunk)).toEqual(Array(20).fill(0))
    expect(await ask(60)).toHaveLength(42)
    await db.deleteFrom('vectors').execute()
  })

  test('the whole of an item is the middle of its passages', async () => {
    const axis = (nth: number) => Array.from({ length: 32 }, (_, i) => Number(i === nth))
    const [tide, bread] = [axis(0), axis(1)]
    await put([
      { id: 'about', chunk: 0, vector: tide },
      { id: 'about', chunk: 1, vector: tide },
      { id: 'once', chunk: 0, vector: tide },
      ...[1, 2, 3].map((chunk) => ({ id: 'once', chunk, vector: bread })),
      { id: 'other', model: 2, vector: bread },
    ])
    const asked = { model: 1, vector: tide }
    const ask = (meant: Meant) =>
      byMeaning(db, scopeOver(''), meant, ['note'], 60, { wholes: true })
    expect((await ask(asked)).map(({ whole }) => whole)).toEqual([undefined, undefined])
    const knots = [
      [0, 0],
      [1, 1],
    ] as const
    const checked = { ...asked, scale: { knots, weight: 0.1, learned: true as const } }
    // Every vector is compared, and signs choose.
    for (const passages of [6, 1_000_000]) {
      await total(0, passages)
      const found = await ask(checked)
      const whole = (id: string) => found.find((one) => one.id === id)!.whole
      expect(whole('about')).toBeCloseTo(1, 2)
      // One of four passages: the cosine of (1, 3) with the first axis.
      expect(whole('once')).toBeCloseTo(1 / Math.sqrt(10), 2)
    }
    await db.deleteFrom('vectors').execute()
  })

  test.each([
    ['by their signs', 300, {}],
    ['at an earlier time', 300, { at: new Date() }],
    ['one and all', 0, {}],
  ])(
    'compares vectors of the model alone where another one has read the same, %s',
    async (_, all, filters) => {
      // More passages than are compared one by one at 4,000 dimensions.
      if (all) await total(0, 9_000)
      const read = (word: string, id: string) => [
        { id, vector: wordVector('', word, DIMS) },
        { id, model: 2, vector: wordVector('', 'tide', 128) },
      ]
      await put([...read('tide', 'right'), ...read('bread', 'wrong')])
      await sql`insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      select id, '', id, id, '', id, '', loam_now() - interval '1 day', loam_now() - interval '1 day'
      from unnest(array['right', 'wrong']) as n (id)`.execute(db)
      const near = await byMeaning(db, scopeOver(''), meant('tide'), ['note'], 60, filters)
      expect(near.map(({ id }) => id)).toEqual(['right', 'wrong'])
      expect(near[0]!.similarity).toBeCloseTo(1, 2)
      expect(near[1]!.similarity).toBeLessThan(0.5)
      for (const table of ['vectors', 'notes', 'passage_totals'] as const)
        await db.deleteFrom(table).execute()
    },
  )

  test('memories of one kind alone', async () => {
    await sql`
      insert into memories (id, project, name, kind, description, body, path, content_hash, created_at, updated_at, valid_from, heading)
      select k, '', k, k, '', '', k, '', loam_now(), loam_now(), loam_now(), '' from unnest(array['gotcha', 'decision']) k`.execute(
      db,
    )
    const vector = wordVector('', 'tide', 32)
    await put(['gotcha', 'decision'].map((id) => ({ kind: 'memory', id, vector })))
    for (const passages of [2, 1_000_000]) {
      await total(0, passages)
      const near = await byMeaning(db, scopeOver(''), meant('tide', 32), ['memory'], 60, {
        memoryKind: 'gotcha',
      })
      expect(near.map(({ id }) => id)).toEqual(['gotcha'])
    }
    await db.deleteFrom('vectors').execute()
  })

  test('in a large scope finds 19 of the 20 that a comparison with all finds, and as many', async () => {
    const atlas = await number('atlas')
    const rows = Array.from({ length: 3_000 }, (_, i) => ({
      id: `N${i}`,
      project: i % 3 === 0 ? atlas : 0,
      vector: wordVector('', text(), DIMS),
    }))
    await put(rows)
    await sql`analyze vectors`.execute(db)
    // Past the size up to which every vector is compared.
    await total(0, 20_000)
    let [shared, places] = [0, 0]
    for (const searched of [['atlas', ''], ['']]) {
      for (let i = 0; i < 15; i++) {
        const question = meant(text())
        const near = await byMeaning(db, scopeOver(...searched), question, ['note'], 60)
        expect(near).toHaveLength(60)
        const right = await exactly(db, scopeOver(...searched), {
          ...{ model: 1, kinds: ['note'], memory_kind: '', depth: 20, near: 1_000_000 },
          ...{ most: 1_000_000, wholes: false },
          vector: JSON.stringify(question.vector),
        })
        const best = new Set(near.slice(0, 20).map(({ id }) => id))
        shared += right.filter(({ id }) => best.has(id)).length
        places += right.length
      }
    }
    expect(shared / places).toBeGreaterThanOrEqual(0.95)
    await db.deleteFrom('vectors').execute()
  })

  test.each([64, 384, 768, 1024, 1536, 3072, 4000])(
    'vectors of %i dimensions are kept in their row and found',
    async (dims) => {
      const ids = ['tide', 'bread', 'moon'].map(
        (word) => `01ARZ3NDEKTSV4RRFFQ69G5${word.slice(0, 3)}`,
      )
      await put(
        ['tide', 'bread', 'moon'].map((word, i) => ({
          kind: 'session',
          id: ids[i]!,
          vector: wordVector('', word, dims),
        })),
      )
      for (const passages of [3, 1_000_000]) {
        await total(0, passages)
        const near = await byMeaning(db, scopeOver(''), meant('bread', dims), ['session'], 1)
        expect(near).toMatchObject([{ kind: 'session', id: ids[1] }])
      }
      const { rows } = await sql<{ inside: boolean }>`
        select bool_and(pg_column_size(e) = 2 * ${dims}::int + 8) as inside from vectors`.execute(
        db,
      )
      expect(rows).toEqual([{ inside: true }])
      await db.deleteFrom('vectors').execute()
    },
  )
})

test('the number of indexes does not grow with projects and models', async () => {
  const count = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_indexes where tablename = 'vectors'`.execute(db)
    return rows[0]!.n
  }
  const before = await count()
  for (let i = 0; i < 20; i++) {
    await put([{ id: `P${i}`, project: 100 + i, model: i, vector: wordVector('', 'tide', 32) }])
  }
  expect(await count()).toBe(before)
})
