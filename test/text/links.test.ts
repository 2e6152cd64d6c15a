import { describe, expect, test } from 'vitest'
import { linksOf } from '../../src/text/links.ts'

describe('links', () => {
  test('name an item, with or without its project, each once', () => {
    expect(
      linksOf(
        'See [[Tide Cache]], [[harbor/tide-cache|the cache]], [[tide-cache#why]], [[_global/x]], ' +
          '[[a/b/c]], [[ ]], [[|x]], [[no\nlink]], [[[y]]] and [z](z).',
      ),
    ).toEqual([
      { name: 'tide-cache', project: null },
      { name: 'tide-cache', project: 'harbor' },
      { name: 'x', project: '' },
      { name: 'c', project: 'b' },
      { name: 'y', project: null },
    ])
  })

  test('of a long text without an end are read in no time', () => {
    expect(linksOf('[['.repeat(200_000))).toEqual([])
    expect(linksOf(Array.from({ length: 3_000 }, (_, i) => `[[n${i}]]`).join(''))).toHaveLength(500)
  })
})
