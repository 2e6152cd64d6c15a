import { describe, expect, test } from 'vitest'
import { linksOf } from '../../src/text/links.ts'

const upper = (text: string) => text.toUpperCase()

describe('links', () => {
  test('name an item, with or without a qualifier, each once', () => {
    expect(
      linksOf(
        'See [[Tide Cache]], [[harbor/tide-cache|the cache]], [[tide-cache#why]], [[_global/x]], ' +
          '[[a/b/c]], [[ ]], [[|x]], [[no\nlink]], [[[y]]] and [z](z).',
        upper,
      ),
    ).toEqual([
      { name: 'tide-cache', qualifier: null },
      { name: 'tide-cache', qualifier: 'HARBOR' },
      { name: 'x', qualifier: '_GLOBAL' },
      { name: 'c', qualifier: 'B' },
      { name: 'y', qualifier: null },
    ])
  })

  test('of a long text without an end are read in no time', () => {
    expect(linksOf('[['.repeat(200_000), upper)).toEqual([])
    expect(
      linksOf(Array.from({ length: 3_000 }, (_, i) => `[[n${i}]]`).join(''), upper),
    ).toHaveLength(500)
  })
})
