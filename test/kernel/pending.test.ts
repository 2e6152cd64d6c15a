import { expect, test } from 'vitest'
import { pending } from '../../src/kernel/pending.ts'

interface Shelf {
  name: string
  books: string[]
  keeper: string
}

test('what is still missing says so to whoever asks too early, also in a copy, and is there afterwards', () => {
  const { whole, complete } = pending<Shelf, 'books' | 'keeper'>({ name: 'north' }, [
    'books',
    'keeper',
  ])
  expect(whole.name).toBe('north')
  expect(() => whole.books).toThrow('"books" was asked for before it stands')
  expect(() => ({ ...whole })).toThrow('was asked for before it stands')
  complete({ books: ['a'], keeper: 'ann' })
  expect({ ...whole, keeper: 'bob' }).toEqual({ name: 'north', books: ['a'], keeper: 'bob' })
  whole.keeper = 'cid'
  expect(whole.keeper).toBe('cid')
})
