import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import { openTestDatabase } from '../helpers/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const LEVELS = ['open', 'confidential', 'sealed'] as const
type Level = (typeof LEVELS)[number]

/** The matrix of the product, cell by cell: what a caller in a project may do with each target. */
const MATRIX: [Level, 'read' | 'write' | 'add', Record<string, boolean>][] = [
  ['open', 'read', { own: true, global: true, open: true, confidential: false, sealed: false }],
  ['open', 'write', { own: true, global: true, open: true, confidential: false, sealed: false }],
  ['open', 'add', { own: true, global: true, open: true, confidential: true, sealed: false }],
  [
    'confidential',
    'read',
    { own: true, global: true, open: true, confidential: false, sealed: false },
  ],
  [
    'confidential',
    'write',
    { own: true, global: false, open: false, confidential: false, sealed: false },
  ],
  [
    'confidential',
    'add',
    { own: true, global: false, open: false, confidential: false, sealed: false },
  ],
  ['sealed', 'add', { own: true, global: false, open: false, confidential: false, sealed: false }],
  ['sealed', 'read', { own: true, global: false, open: false, confidential: false, sealed: false }],
  [
    'sealed',
    'write',
    { own: true, global: false, open: false, confidential: false, sealed: false },
  ],
]

interface Side {
  project: string
  level: Level | null
}

async function allows(act: string, caller: Side, target: Side): Promise<boolean | null> {
  const { rows } = await sql<{ allowed: boolean | null }>`select fence_allows(${act},
    ${caller.project}, ${caller.level}, ${target.project}, ${target.level}) as allowed`.execute(
    database.db,
  )
  return rows[0]!.allowed
}

describe('the fence', () => {
  for (const [level, act, cells] of MATRIX) {
    test(`a caller in a project that is ${level} may ${act} what the matrix says`, async () => {
      const caller = { project: 'own', level }
      const targets: Record<string, Side> = {
        own: caller,
        global: { project: '', level: 'open' },
        open: { project: 'other', level: 'open' },
        confidential: { project: 'other', level: 'confidential' },
        sealed: { project: 'other', level: 'sealed' },
      }
      const found: Record<string, boolean | null> = {}
      for (const [name, target] of Object.entries(targets)) {
        found[name] = await allows(act, caller, target)
      }
      expect(found).toEqual(cells)
    })
  }

  test('judges a caller in the global scope like one in an open project', async () => {
    for (const act of ['read', 'write', 'add']) {
      for (const level of LEVELS) {
        const target = { project: 'other', level }
        const inside = await allows(act, { project: 'own', level: 'open' }, target)
        expect(await allows(act, { project: '', level: 'open' }, target)).toBe(inside)
      }
    }
  })

  test('takes a project without a row as open, and a caller without a level for nobody', async () => {
    const [open, nobody] = [
      { project: 'own', level: 'open' as const },
      { project: '', level: null },
    ]
    const unknown = { project: 'other', level: null }
    expect(await allows('read', open, unknown)).toBe(true)
    expect(await allows('write', open, unknown)).toBe(true)
    expect(await allows('add', open, unknown)).toBe(true)
    expect(await allows('read', nobody, unknown)).not.toBe(true)
    expect(await allows('write', nobody, unknown)).not.toBe(true)
    expect(await allows('add', nobody, unknown)).not.toBe(true)
  })

  test('allows no act but reading, writing and adding', async () => {
    const open = { project: 'own', level: 'open' as const }
    expect(await allows('rename', open, { project: 'other', level: 'open' })).toBe(false)
  })

  test('is the only function of the database that compares levels', async () => {
    const { rows } = await sql<{ proname: string }>`
      select proname from pg_proc
      where pronamespace = 'public'::regnamespace
        and prosrc ~ '(isolation|level)\\)?\\s*(<>|=|in\\M)' order by proname`.execute(database.db)
    expect(rows.map(({ proname }) => proname)).toEqual(['fence_allows'])
  })

  test('becomes part of the statement that calls it, so that no row costs a call', async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (verbose, costs off)
      select id from tasks where fence_allows('read', 'own', 'open', tasks.project,
        (select target.isolation from projects target where target.slug = tasks.project))`.execute(
      database.db,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('tasks')
    expect(plan).not.toContain('fence_allows')
  })
})
