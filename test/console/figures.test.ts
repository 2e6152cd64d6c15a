import { describe, expect, test } from 'vitest'
import { screens } from '../../src/console/screens.ts'
import { openHouse } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'
import {
  barsOf,
  declaredFigures,
  declareFigures,
  deltaOfShare,
  deltaOfVolume,
  percentOf,
} from '../../src/console/figures.ts'

describe('a figure', () => {
  const figure = declareFigures('sample', [], {
    crates: {
      label: 'Crates',
      unit: ['crate', 'crates'],
      definition: 'All crates of all yards.',
      leads: 'rows',
      href: () => '/console/crates',
    },
    sold: {
      label: 'Sold',
      unit: '%',
      definition: 'Crates that were sold in the window, of all crates.',
      leads: 'explanation',
      windowed: true,
      band: { atLeast: 55 },
      href: ({ w }) => `/console/crates?w=${w}`,
    },
  })

  test('is declared with words, a unit and a link, and is given its value by a page', () => {
    expect(figure('crates', { value: 1200 })).toMatchObject({
      id: 'sample-crates',
      value: '1,200',
      unit: 'crates',
      window: null,
      href: '/console/crates',
    })
    expect(figure('crates', { value: 1 }).unit).toBe('crate')
    expect(figure('sold', { value: 60 }, { w: '7d' })).toMatchObject({
      window: 'last 7 days',
      href: '/console/crates?w=7d',
      band: { text: 'aim ≥ 55 %', met: true },
    })
  })

  test('without a denominator has no value, no band and no change', () => {
    expect(percentOf(3, 0)).toBe(null)
    const delta = { text: 'new', good: null }
    expect(figure('sold', { value: null, delta, bars: [1] }, { w: '7d' })).toMatchObject({
      value: null,
      band: null,
      delta: null,
      bars: null,
    })
  })

  test('moves in points when it is a share, and relatively when it is a volume', () => {
    expect(percentOf(1, 8)).toBe(13)
    expect(deltaOfShare(14, 10)).toEqual({ text: '▲ 4 pt', good: true })
    expect(deltaOfShare(14, 10, { lessIsBetter: true })).toEqual({ text: '▲ 4 pt', good: false })
    expect(deltaOfShare(10, 10)).toEqual({ text: 'flat', good: null })
    expect(deltaOfShare(10, null)).toBe(null)
    expect(deltaOfVolume(150, 100)).toEqual({ text: '▲ 50 %', good: null })
    expect(deltaOfVolume(5, 0)).toEqual({ text: 'new', good: null })
    expect(deltaOfVolume(0, 0)).toEqual({ text: 'flat', good: null })
    expect(deltaOfVolume(41, 3)).toEqual({ text: '▲ 38', good: null })
    expect(deltaOfVolume(10, null)).toBe(null)
  })

  test('has bars that show whatever is more than nothing', () => {
    expect(barsOf([0, 1, 1000])).toEqual([0, 1, 16])
    expect(barsOf([0, 0])).toEqual([0, 0])
  })
})

test('every declared figure says what it counts and leads to a page of a screen', () => {
  expect(screens.length).toBeGreaterThan(0)
  for (const { id, label, unit, definition, leads, href, windowed } of declaredFigures()) {
    if (id.startsWith('sample-')) continue
    expect(label, id).toMatch(/^[A-Z]/)
    expect(definition, id).toMatch(/^[A-Z].{15,}\.$/)
    expect(unit === '%' && leads === 'rows', id).toBe(false)
    const address = href({ w: '7d', of: '01K9ZC4T7Q8V2M5N6P3R1S0WXY' })
    expect(address, id).toMatch(/^\/console\//)
    if (windowed && leads === 'rows') expect(address, id).toContain('w=7d')
  }
})

/** How many rows a list has, over all its pages. */
async function rowsAt(owner: Owner, address: string): Promise<number> {
  let rows = 0
  for (let next: string | undefined = address; next !== undefined;) {
    const { status, text = '' } = await owner.get(next)
    expect(status, next).toBe(200)
    rows += (text.match(/<[^>]+(?:\sdata-row[\s>]|class="rail-item[ "])/g) ?? []).length
    next = /<a href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  return rows
}

test('a count of things leads to exactly the rows that it counts', async () => {
  await using house = await openHouse()
  const owner = ownerOf(house)
  const agent = await house.connect()
  await agent.call('session_start', { name: 'writer', project: 'atlas' })
  for (let n = 0; n < 3; n++) {
    await agent.call('notes_create', { title: `Note ${n}`, body: 'x' })
  }
  for (let n = 0; n < 203; n++) await house.session('atlas')
  let walked = 0
  for (const { id, leads, pages } of declaredFigures()) {
    for (const page of pages.filter((page) => !page.includes('{'))) {
      const { text = '' } = await owner.get(page)
      const [, href = '', shown = ''] =
        new RegExp(
          `id="figure-${id}"[\\s\\S]*?<a class="figure-value" href="([^"]+)">([^<]+)`,
        ).exec(text) ?? []
      expect(href, `${id} on ${page}`).not.toBe('')
      const address = href.replaceAll('&amp;', '&')
      if (leads === 'explanation') {
        expect((await owner.get(address)).status, address).toBe(200)
        continue
      }
      expect(await rowsAt(owner, address), `${id} at ${address}`).toBe(
        Number(shown.replaceAll(',', '')),
      )
      walked++
    }
  }
  expect(walked).toBeGreaterThan(0)
})
