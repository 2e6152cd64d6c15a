import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import {
  checkOwner,
  GLOBAL,
  judgeWrite,
  narrowed,
  ownerScope,
  readable,
  scopeAt,
  scopeOf,
  scopeSql,
  searchedOf,
  writable,
  type AnyScope,
  type OwnerScope,
  type Scope,
} from '../../src/projects/projects.ts'
import { openTestDatabase } from '../helpers/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
  const crypt = { id: 'crypt', slug: 'crypt', name: 'Crypt', isolation: 'sealed' }
  await database.db.insertInto('projects').values(crypt).execute()
})
afterAll(() => database.close())

const NOBODY = 'nobody judged'
const browse = scopeSql<{ memory_kind: string; at: null; limit: number }, { id: string }>(
  'recall/browse',
)
const items = scopeSql<{ kinds: string[]; ids: string[] }, { id: string }, AnyScope>('recall/items')
const ask = { memory_kind: 'gotcha', at: null, limit: 1 }

describe('a scope', () => {
  test('that was made by hand fails in types', () => {
    const all = { caller: GLOBAL, project: '', searched: [''] }
    // @ts-expect-error A literal is no Scope, whatever it holds.
    const literal: Scope = all
    // @ts-expect-error A level that no row told is no level.
    const scope = scopeOf({ project: 'crypt', isolation: 'sealed' })
    // @ts-expect-error The owner's scope is none of an agent's.
    const owners: Scope = ownerScope()
    expect([literal, scope, owners]).toHaveLength(3)
  })

  test('that was made by hand fails where a query is asked', async () => {
    const real = await scopeAt(database.db, 'atlas')
    const forged: Record<string, Scope> = {
      'a literal': { ...real, searched: ['crypt'] },
      'a copy': { ...real },
      'an heir': Object.create(real) as Scope,
      'a clone': structuredClone(real),
    }
    for (const [how, scope] of Object.entries(forged)) {
      expect(() => searchedOf(scope), how).toThrow(NOBODY)
      expect(() => readable(scope, 'tasks.project'), how).toThrow(NOBODY)
      expect(() => writable(scope, 'tasks.project'), how).toThrow(NOBODY)
      expect(() => narrowed(scope, ['crypt']), how).toThrow(NOBODY)
      expect(() => browse(database.db, scope, ask), how).toThrow(NOBODY)
      await expect(judgeWrite(database.db, scope, 'crypt'), how).rejects.toThrow(NOBODY)
    }
    expect(await browse(database.db, real, ask)).toEqual([])
  })

  test('cannot be changed once it is made', async () => {
    const scope = await scopeAt(database.db, 'atlas')
    const open = scope as unknown as {
      project: string
      searched: string[]
      caller: { isolation: string }
    }
    expect(() => (open.project = 'crypt')).toThrow(TypeError)
    expect(() => open.searched.push('crypt')).toThrow(TypeError)
    expect(() => (open.caller.isolation = 'sealed')).toThrow(TypeError)
  })

  test('is narrowed and never widened by those who hold it', async () => {
    const scope = await scopeAt(database.db, 'atlas')
    expect(narrowed(scope, ['atlas']).searched).toEqual(['atlas'])
    expect(narrowed(scope, ['crypt', '']).searched).toEqual([''])
  })

  test('alone tells a statement what it may search', async () => {
    const scope = await scopeAt(database.db, 'atlas')
    const more = { ...ask, searched: ['crypt'] }
    // @ts-expect-error What the scope tells may not be told beside it.
    const asked = browse(database.db, scope, more)
    await asked
  })
})

describe('the scope of the owner', () => {
  test('is asked for with everything in it', async () => {
    expect(() => checkOwner(ownerScope())).not.toThrow()
    expect(await items(database.db, ownerScope(), { kinds: [], ids: [] })).toEqual([])
  })

  test('that was made by hand fails in types, and where a query is asked', () => {
    // @ts-expect-error A literal is no OwnerScope.
    const literal: OwnerScope = {}
    const copy: OwnerScope = { ...ownerScope() }
    for (const scope of [literal, copy]) {
      expect(() => checkOwner(scope)).toThrow('nobody made')
      expect(() => items(database.db, scope, { kinds: [], ids: [] })).toThrow(NOBODY)
    }
  })
})
