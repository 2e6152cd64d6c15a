import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scale } from '../../src/kernel/embedder.ts'
import { nearlyTheSame, soonTheSame } from '../../src/embeddings/embeddings.ts'
import type { Scope } from '../../src/projects/projects.ts'
import { scopeOver } from '../helpers/places.ts'
import { openTestDatabase } from '../helpers/database.ts'

const database = await openTestDatabase()
const { db } = database
afterAll(() => database.close())

const DIMS = 128
const LEAST = 0.83
const [NEAR, FAR] = [60, 600]
let state = 11
const below = (most: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * most)
}
const unit = (vector: readonly number[]): number[] => {
  const length = Math.hypot(...vector)
  return vector.map((cell) => cell / length)
}
const chance = (dims = DIMS): number[] =>
  unit(
    Array.from({ length: dims }, () =>
      Array.from({ length: 6 }, () => below(1000) - 500).reduce((a, b) => a + b),
    ),
  )
/** A direction that is so far away, as an angle. */
function away(from: readonly number[], angle: number): number[] {
  const other = chance()
  const along = other.reduce((sum, cell, i) => sum + cell * from[i]!, 0)
  const right = unit(other.map((cell, i) => cell - along * from[i]!))
  return from.map((cell, i) => Math.cos(angle) * cell + Math.sin(angle) * right[i]!)
}

const [OURS, THEIRS] = [chance(), chance()]
const KNOTS = [
  [0, 0],
  [1, 1],
] as const

type Row = [id: string, project: number, vector: readonly number[], more?: object]

async function put(rows: readonly Row[]): Promise<void> {
  const of = <T>(what: (row: Row) => T) => rows.map(what)
  const { kinds, models } = {
    kinds: of(([, , , more]) => ({ kind: 'memory', ...more }).kind),
    models: of(([, , , more]) => ({ model: 1, ...more }).model),
  }
  await sql`
    insert into vectors (kind, id, chunk, model, project, active, hash, e)
    select r.kind, r.id, 0, r.model, r.project, true, '', r.e::halfvec
    from unnest(${kinds}::text[], ${of(([id]) => id)}::text[], ${models}::int[],
      ${of(([, project]) => project)}::int[], ${of(([, , vector]) => JSON.stringify(vector))}::text[])
      as r (kind, id, model, project, e)`.execute(db)
}

const total = (project: number, passages: number) =>
  sql`insert into passage_totals values (${project}, ${passages}, 1)
    on conflict (project) do update set passages = excluded.passages`.execute(db)

const ask = (
  scope: Scope,
  vector: number[],
  { depth = 1_000, ...more }: Partial<Scale> & { depth?: number } = {},
) =>
  nearlyTheSame(
    db,
    scope,
    { model: 1, vector, scale: { knots: KNOTS, weight: 0.1, learned: true, ...more } },
    { least: LEAST, depth },
  )

const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id)
const nth = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`)

describe('what says nearly the same', () => {
  let [atlas, ledger] = [0, 0]

  beforeAll(async () => {
    const { rows } = await sql<{ number: number }>`
      insert into projects (id, slug, name) values ('A', 'atlas', 'A'), ('B', 'ledger', 'B')
      returning number`.execute(db)
    ;[atlas, ledger] = [rows[0]!.number, rows[1]!.number]
    const nearBy = (name: string, to: readonly number[], project: number): Row[] =>
      nth(name, NEAR).map((id, i) => [id, project, away(to, (Math.acos(LEAST) * i) / NEAR)])
    await put([
      ...nearBy('ours', OURS, atlas),
      ...nearBy('theirs', THEIRS, ledger),
      ['global', 0, away(OURS, Math.acos(0.999))],
      ...nth('far', FAR).map((id): Row => [id, atlas, chance()]),
      ['apart', atlas, away(OURS, Math.acos(0.8))],
      ['note', atlas, OURS, { kind: 'note' }],
      // Of another model, which has other dimensions: its signs cannot be compared.
      ...nth('ours', NEAR).map((id): Row => [id, atlas, chance(64), { model: 2 }]),
    ])
    await total(atlas, NEAR + FAR)
  })

  test('is all that is as similar as is asked, the most similar first, and nothing else', async () => {
    const found = await ask(scopeOver('atlas', ''), OURS)
    expect(idsOf(found).toSorted()).toEqual(['global', ...nth('ours', NEAR)].toSorted())
    expect(found.map(({ similarity }) => similarity)).toEqual(
      found.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
    )
    expect(idsOf(await ask(scopeOver('atlas', ''), OURS, { depth: 3 }))).toEqual(
      idsOf(found).slice(0, 3),
    )
  })

  test('is told to each of many who ask at once, of its own scope alone', async () => {
    const [ours, theirs, both] = [scopeOver('atlas', ''), scopeOver('ledger', ''), [OURS, THEIRS]]
    const alone: string[][] = []
    for (const scope of [ours, theirs]) {
      for (const vector of both) alone.push(idsOf(await ask(scope, vector, { depth: 9 })))
    }
    expect(alone.map(({ length }) => length)).toEqual([9, 0, 1, 9])
    const many = Array.from({ length: 50 }, (_, i) => [[ours, theirs][i % 2]!, i % 4 < 2] as const)
    const answers = await Promise.all(
      many.map(([scope, first]) => ask(scope, both[first ? 0 : 1]!, { depth: 9 })),
    )
    expect(answers.map(idsOf)).toEqual(
      many.map(([scope, first]) => alone[(scope === ours ? 0 : 2) + (first ? 0 : 1)]),
    )
  })

  test.each([
    ['of a model that was not learned, whose signs are not known to say anything', {}, 700],
    ['in a scope of too many to look through', { learned: true } as const, 1_000_000],
  ])('is found %s', async (_, of, passages) => {
    await total(atlas, passages)
    const scale = { knots: KNOTS, weight: 0.1, ...of }
    const meant = { model: 1, vector: OURS, scale }
    const found = await nearlyTheSame(db, scopeOver('atlas', ''), meant, { least: LEAST, depth: 5 })
    expect(idsOf(found)).toEqual(idsOf(await ask(scopeOver('atlas', ''), OURS, { depth: 5 })))
    await total(atlas, NEAR + FAR)
  })

  test('is told soon only of a learned model, in a scope of few passages', async () => {
    const [atlasAlone, wanted] = [scopeOver('atlas', ''), { least: LEAST, depth: 5 }]
    const scale: Scale = { knots: KNOTS, weight: 0.1, learned: true }
    const meant = { model: 1, vector: OURS, scale }
    const soon = await soonTheSame(db, atlasAlone, meant, wanted)
    expect(soon).toHaveLength(5)
    expect(soon).toEqual(await nearlyTheSame(db, atlasAlone, meant, wanted))
    const { learned: _, ...other } = scale
    expect(await soonTheSame(db, atlasAlone, { ...meant, scale: other }, wanted)).toBeUndefined()
    await total(atlas, 20_000)
    expect(await soonTheSame(db, atlasAlone, meant, wanted)).toBeUndefined()
    await total(atlas, NEAR + FAR)
  })
})
