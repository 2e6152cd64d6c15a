import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

async function furnish(house: House) {
  const alice = await house.connect()
  await alice.call('project_create', { name: 'Atlas maps', slug: 'atlas', description: 'Maps' })
  return alice.call('notes_create', {
    title: 'Where atlas keeps its maps',
    description: 'In the vault',
    body: 'The vault of atlas.',
    project: 'atlas',
  })
}

describe('the search', () => {
  test('answers the palette with notes and projects in groups', async () => {
    await using house = await openHouse()
    const note = await furnish(house)
    const { body } = await ownerOf(house).json('/console/search?format=json&fast=1&q=atlas')
    expect(body).toEqual({
      query: 'atlas',
      scope: 'all',
      fast: true,
      total: 2,
      groups: [
        {
          kind: 'note',
          label: 'Notes',
          count: 1,
          rows: [
            {
              kind: 'note',
              id: note['id'],
              title: 'Where atlas keeps its maps',
              identifier: 'where-atlas-keeps-its-maps',
              project: 'atlas',
              age: expect.any(String),
              description: 'In the vault',
              href: `/console/notes/${note['id']}`,
              peek: `/console/notes/${note['id']}?peek=1`,
            },
          ],
        },
        {
          kind: 'project',
          label: 'Projects',
          count: 1,
          rows: [
            {
              kind: 'project',
              id: 'atlas',
              title: 'Atlas maps',
              identifier: 'atlas',
              project: 'atlas',
              description: 'Maps',
              href: '/console/search?q=atlas&scope=notes',
            },
          ],
        },
      ],
    })
  })

  test('looks where it is told, and asks nothing of less than two characters', async () => {
    await using house = await openHouse()
    await furnish(house)
    const owner = ownerOf(house)
    const total = async (query: string) => (await owner.json(`/console/search?${query}`)).body.total
    expect(await total('q=atlas&scope=notes')).toBe(1)
    expect(await total('q=atlas&scope=projects')).toBe(1)
    expect(await total('q=a')).toBe(0)
    expect(await total('q=%25')).toBe(0)
    expect(await total('q=%25%25&scope=projects')).toBe(0)
    expect((await owner.get('/console/search?q=a')).text).toContain('Ask in your own words')
    expect((await owner.get('/console/search?q=zeppelin')).text).toContain('Nothing found')
  })

  test('leaves no demand: the owner looks, no agent asked', async () => {
    await using house = await openHouse()
    await furnish(house)
    await ownerOf(house).json('/console/search?q=atlas')
    await ownerOf(house).json('/console/search?q=zeppelin')
    expect(await house.events('retrieval.injected')).toEqual([])
    expect(await house.events('recall.miss')).toEqual([])
  })

  test('takes any text for a question', async () => {
    await using house = await openHouse()
    await furnish(house)
    const owner = ownerOf(house)
    for (const q of [
      "'",
      '\\',
      ':*',
      '<-> & | !',
      '(((',
      '"a',
      '🜁🜁',
      'a'.repeat(5000),
      '{{ q }}',
    ]) {
      const { status } = await owner.get(`/console/search?q=${encodeURIComponent(q)}`)
      expect({ q, status }).toEqual({ q, status: 200 })
    }
  })
})
