import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { fits } from '../../src/kernel/schema/fits.ts'
import { compileReader } from '../../src/kernel/schema/reader.ts'

const Query = Type.Object({
  sort: Type.Enum(['recent', 'name'], { type: 'string', default: 'recent' }),
  page: Type.Integer({ minimum: 1, maximum: 99, default: 1 }),
  tags: Type.Optional(Type.Array(Type.String())),
  to: Type.Optional(Type.String({ minLength: 3, refusal: 'copy: --to must be an address' })),
})

describe('a reader', () => {
  const read = compileReader(Query)

  test('fills in defaults, for what is absent and for what says nothing', () => {
    expect(read(undefined)).toEqual({ sort: 'recent', page: 1 })
    expect(read({ sort: '', page: '', tags: ' , ' })).toEqual({ sort: 'recent', page: 1 })
  })

  test('gives every caller a default of its own', () => {
    const lists = compileReader(Type.Object({ all: Type.Array(Type.String(), { default: ['a'] }) }))
    lists({}).all.push('b')
    expect(lists({})).toEqual({ all: ['a'] })
  })

  test('reads text as the type that is declared', () => {
    const sent = { sort: 'name', page: ' 7 ', tags: 'a, b' }
    expect(read(sent)).toEqual({ sort: 'name', page: 7, tags: ['a', 'b'] })
  })

  test.each([
    [{ sort: 'x' }, 'invalid sort "x": valid values are recent, name'],
    [{ page: 'one' }, 'invalid page: expected an integer, got string'],
    [{ page: 0 }, 'invalid page: must be >= 1'],
    [
      { sorts: 'x' },
      'unknown parameter "sorts"; did you mean "sort"? valid parameters: page, sort',
    ],
    [[], 'arguments must be a JSON object'],
  ])('refuses %j', (sent, message) => {
    expect(() => read(sent)).toThrow(message)
  })

  test.each([[{ to: 'x' }], [{ to: 7 }]])('says what its schema says of %j', (sent) => {
    expect(() => read(sent)).toThrow(/^copy: --to must be an address$/)
  })

  test('says what its schema says of a value that is missing', () => {
    const required = compileReader(Type.Object({ to: Type.String({ refusal: 'where to?' }) }))
    expect(() => required({})).toThrow(/^where to\?$/)
  })

  test('ignores a name that is not declared where its edge says nothing of it', () => {
    const lax = compileReader(Query, { unknown: () => undefined })
    expect(lax({ other: 1 })).toEqual({ sort: 'recent', page: 1 })
  })

  test('calls the values together what its edge calls them', () => {
    const body = compileReader(Query, { whole: 'the form' })
    expect(() => body('x')).toThrow('the form must be a JSON object')
  })
})

test('a value fits its schema as it is, and nothing is converted', () => {
  const count = Type.Integer({ minimum: 0 })
  expect([0, 7, -1, 1.5, '7', null].map((value) => fits(count, value))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
