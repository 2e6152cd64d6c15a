import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../../src/console/screens.ts'
import { openDemo, type OpenDemo } from '../helpers/demo.ts'
import { switchOn } from '../helpers/moments.ts'
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
    next = plain(/<a href="([^"]+)" rel="next"/.exec(text)?.[1])
  }
  return rows
}

const plain = <Text extends string | undefined>(address: Text) =>
  address?.replaceAll('&amp;', '&') as Text
const numberOf = (shown: string): number => Number(shown.replaceAll(',', ''))

/** The address of a page whose address ends in an item: that of the first item of its list. */
async function withItem(owner: Owner, page: string): Promise<string> {
  if (!page.includes('{id}')) return page
  const [list = ''] = page.split('/{id}', 1)
  const { text = '' } = await owner.get(list)
  const [, id = ''] = new RegExp(`href="${list}/([^"?]+)"`).exec(text) ?? []
  expect(id, `an item at ${list}`).not.toBe('')
  return page.replace('{id}', id)
}

/** The page that explains a figure has the place that the address names. */
async function expectExplained(owner: Owner, address: string): Promise<void> {
  const [path = '', place] = address.split('#', 2)
  const { status, text } = await owner.get(path)
  expect(status, address).toBe(200)
  if (place !== undefined) expect(text, address).toContain(`id="${place}"`)
}

describe('a count of things leads to exactly the rows that it counts', () => {
  let demo: OpenDemo
  let owner: Owner
  beforeAll(async () => {
    demo = await openDemo()
    // What features add to pages is walked too.
    await switchOn(demo.house, 'momentum', 'gamification')
    owner = ownerOf(demo.house)
  })
  afterAll(() => demo.house[Symbol.asyncDispose]())

  test('where it is declared as a figure', async () => {
    let walked = 0
    for (const { id, leads, pages } of declaredFigures()) {
      for (const page of pages) {
        const { text = '' } = await owner.get(await withItem(owner, page))
        const [, href = '', shown = ''] =
          new RegExp(
            `id="figure-${id}"[\\s\\S]*?<a class="figure-value" href="([^"]+)">([^<]+)`,
          ).exec(text) ?? []
        expect(href, `${id} on ${page}`).not.toBe('')
        const address = plain(href)
        if (leads === 'explanation') await expectExplained(owner, address)
        else {
          expect(await rowsAt(owner, address), `${id} at ${address}`).toBe(numberOf(shown))
          walked++
        }
      }
    }
    expect(walked).toBeGreaterThan(4)
  })

  test('where it stands in a table or a line', async () => {
    const { text = '' } = await owner.get('/console/')
    const main = text.slice(text.indexOf('<main'))
    const links = main.matchAll(/<a href="(\/console\/[^"]+)">(?:<b>)?([\d,]+)(?:<\/b> \w+)?<\/a>/g)
    let walked = 0
    for (const [, href = '', shown = ''] of links) {
      const address = plain(href)
      expect(await rowsAt(owner, address), address).toBe(numberOf(shown))
      walked++
    }
    expect(walked).toBeGreaterThan(20)
  })

  test('over all the pages of a list that has several', async () => {
    for (let n = 0; n < 203; n++) await demo.house.session('atlas')
    const { body } = await owner.json('/console/?w=all')
    expect(body.sessTotal).toBeGreaterThan(203)
    expect(await rowsAt(owner, '/console/sessions?w=all')).toBe(body.sessTotal)
  })
})
