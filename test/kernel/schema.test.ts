import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { fits } from '../../src/kernel/schema/fits.ts'
import { compileReader } from '../../src/kernel/schema/reader.ts'

const Query = Type.Object({
  sort: Type.Enum(['recent', 'name'], { type: 'string', default: 'recent' }),
  page: Type.Integer({ minimum: 1, maximum: 99, default: 1 }),
  tags: Type.Optional(Type.Array(Type.String())),
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
      'unknown parameter "sorts"; did you mean "sort"? valid parameters: page, sort, tags',
    ],
    [[], 'arguments must be a JSON object'],
  ])('refuses %j', (sent, message) => {
    expect(() => read(sent)).toThrow(message)
  })

  test('names what is missing', () => {
    const required = compileReader(Type.Object({ to: Type.String(), sort: Query.properties.sort }))
    expect(() => required({})).toThrow(/^missing required: "to"$/)
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
