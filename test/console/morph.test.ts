import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser } from '../helpers/browser.ts'

const missing = browserIsMissing()

const MORPH = fileURLToPath(new URL('../../public/interactions/morph.js', import.meta.url))
const SCRIPT = buildSync({
  ...{ entryPoints: [MORPH], bundle: true, write: false },
  ...{ format: 'iife', globalName: 'window.module' },
}).outputFiles[0]!.text

const row = (name: string, text = name): string =>
  `<a class="rail-item" id="item-${name}" href="#${name}"><b>${text}</b></a>`
const rail = (...rows: string[]): string => `<nav id="rail">${rows.join('')}</nav>`
const group = (name: string, ...rows: string[]): string => `<ul id="${name}">${rows.join('')}</ul>`
/** A rail that scrolls by itself, without the help that browsers give. */
const SCROLLER =
  '<style>nav { height: 200px; overflow-y: auto; overflow-anchor: none } a { display: block }</style>'
const FADING =
  '<style>.rail-item--new, .rail-item--shipped { animation: fade 60s } @keyframes fade { from { color: red } }</style>'
const tall = (height: number): string => `<div style="height: ${height}px"></div>`

describe.skipIf(missing)('the morph', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 800, height: 600 } })
  })
  afterEach(() => page.close())

  const show = async (main: string): Promise<void> => {
    await page.setContent(`<!doctype html><main id="main">${main}</main>`)
    await page.addScriptTag({ content: SCRIPT })
  }
  const morph = (main: string): Promise<void> =>
    page.evaluate(
      ([html]) => {
        const fresh = new DOMParser().parseFromString(html!, 'text/html')
        const loaded = (window as any).module
        loaded.morph(document.getElementById('main'), fresh.getElementById('main'))
      },
      [`<main id="main">${main}</main>`],
    )
  const main = (): Promise<string> => page.locator('#main').innerHTML()
  const isFocused = (selector: string): Promise<boolean> =>
    page.locator(selector).evaluate((one) => one === document.activeElement)
  /** Firefox and Safari got it later than Chromium. */
  const withoutMoveBefore = () =>
    page.evaluate(() => Reflect.deleteProperty(Element.prototype, 'moveBefore'))

  test('makes the page what the fresh one is, whatever changed', async () => {
    const pages = [
      rail(row('a'), row('b'), row('c')),
      rail(row('c'), row('a', 'other'), row('b')),
      rail(row('d'), row('b')),
      `<p>Nothing here.</p>`,
      `<h1>Notes</h1>${rail(row('a'))}<p title="x">One <em>word</em>, and more</p>`,
      `<h1 class="wide">Notes</h1><section>${rail(row('b'), row('a'))}</section>`,
    ]
    for (const from of pages) {
      for (const to of pages) {
        await show(from)
        await morph(to)
        expect((await main()).replaceAll(' rail-item--new', '')).toBe(to)
      }
    }
  })

  test('has the browser look for what fades once, however many rows are new', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `n${n}`)
    const rows = (text: string) => FADING + rail(...names.map((name) => row(name, text)))
    await show(FADING + rail())
    await page.evaluate(() => {
      Object.assign(window, { looks: 0 })
      for (const one of [Element.prototype, Document.prototype]) {
        const { getAnimations } = one
        one.getAnimations = function (this: any) {
          ;(window as any).looks++
          return getAnimations.call(this)
        }
      }
    })
    await morph(rows('one'))
    await morph(rows('two'))
    await morph(rows('three'))
    expect(await page.evaluate(() => (window as any).looks)).toBe(3)
    expect(await page.locator('.rail-item--new').count()).toBe(50)
  })

  test('marks the rows that are new, and no others', async () => {
    await show(rail(row('a'), row('b')))
    await morph(rail(row('c'), row('b'), row('a')))
    const marked = page.locator('.rail-item--new')
    expect(await marked.evaluateAll((rows) => rows.map(({ id }) => id))).toEqual(['item-c'])
  })

  test('marks a row that has come to its end meanwhile, once', async () => {
    const shipped = row('b').replace(' id=', ' data-shipped="" id=')
    await show(`${FADING}${rail(row('a'), row('b'))}`)
    const marked = () =>
      page.locator('.rail-item--shipped').evaluateAll((rows) => rows.map(({ id }) => id))
    await morph(`${FADING}${rail(row('a'), shipped)}`)
    expect(await marked()).toEqual(['item-b'])
    // The next refresh does not cut the colour off, and one behind it does not bring it back.
    await morph(`${FADING}${rail(row('a', 'other'), shipped)}`)
    expect(await marked()).toEqual(['item-b'])
    await page.locator('#item-b').evaluate((one) => one.getAnimations()[0]!.finish())
    await morph(`${FADING}${rail(row('a'), shipped)}`)
    expect(await marked()).toEqual([])
    // One that was so from the beginning is plain.
    await show(`${FADING}${rail(shipped)}`)
    await morph(`${FADING}${rail(shipped, row('c'))}`)
    expect(await marked()).toEqual([])
  })

  test('keeps the node of a row that moves, from one group to another too', async () => {
    await show(group('live', row('a'), row('b')) + group('idle', row('c')))
    await page.locator('#item-b').evaluate((one) => ((one as any).kept = true))
    await morph(group('live', row('a')) + group('idle', row('b'), row('c')))
    const kept = await page.locator('#idle > #item-b').evaluate((one) => (one as any).kept)
    expect(kept).toBe(true)
  })

  describe.each([
    ['a browser that moves nodes with their state', () => Promise.resolve(true)],
    ['a browser that does not', withoutMoveBefore],
  ])('in %s', (_name, prepare) => {
    test('a row keeps the focus while it moves to the top', async () => {
      await show(tall(2000) + rail(row('a'), row('b'), row('c')) + tall(2000))
      await prepare()
      await page.locator('#item-c').focus()
      await page.evaluate(() => scrollTo(0, 150))
      await morph(tall(2000) + rail(row('c'), row('new'), row('a'), row('b')) + tall(2000))
      expect(await isFocused('#item-c')).toBe(true)
      expect(await page.evaluate(() => scrollY)).toBe(150)
    })

    test('a row keeps the focus while it moves to another group', async () => {
      const groups = (live: string[], idle: string[]) =>
        `${SCROLLER}<nav id="rail">${group('live', ...live)}${tall(2000)}${group('idle', ...idle)}</nav>${tall(2000)}`
      await show(groups([row('a')], [row('b'), row('c')]))
      await prepare()
      await page.locator('#item-c').focus()
      await page.evaluate(() => scrollTo(0, 150))
      await page.locator('#rail').evaluate((one) => (one.scrollTop = 333))
      await morph(groups([row('c'), row('a')], [row('b')]))
      expect(await isFocused('#live > #item-c')).toBe(true)
      expect(await page.evaluate(() => scrollY)).toBe(150)
      expect(await page.locator('#rail').evaluate((one) => one.scrollTop)).toBe(333)
    })

    test('a field keeps the focus, its text and the selected part while it moves', async () => {
      const field = '<input id="title" value="as it was">'
      await show(`<p id="first">One</p>${tall(2000)}<p id="second">Two ${field}</p>`)
      await prepare()
      await page.locator('#title').fill('typed by hand')
      await page
        .locator('#title')
        .evaluate((one) => (one as any).setSelectionRange(2, 7, 'backward'))
      await morph(`<p id="first">One ${field}</p>${tall(2000)}<p id="second">Two</p>`)
      expect(await isFocused('#title')).toBe(true)
      const state = await page
        .locator('#title')
        .evaluate((one: any) => [one.value, one.selectionStart, one.selectionEnd])
      expect(state).toEqual(['typed by hand', 2, 7])
    })
  })

  test('keeps a list scrolled to the pixel, and the page too', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => row(`r${at}`, `<i>Row ${at}</i>`))
    const list = (...extra: string[]) => `${SCROLLER}${rail(...extra, ...rows)}${tall(3000)}`
    await show(list())
    await page.locator('#rail').evaluate((one) => (one.scrollTop = 333))
    await page.evaluate(() => scrollTo(0, 77))
    await morph(list(row('new')))
    expect(await page.locator('#rail').evaluate((one) => one.scrollTop)).toBe(333)
    expect(await page.evaluate(() => scrollY)).toBe(77)
    expect(await page.locator('#item-new').count()).toBe(1)
  })

  test('keeps the selection in a text that did not change', async () => {
    await show(`${rail(row('a'))}<article id="sheet"><p>One.</p><p>A longer text.</p></article>`)
    await page.evaluate(() => {
      const text = document.querySelector('p + p')!.firstChild!
      getSelection()!.setBaseAndExtent(text, 2, text, 8)
    })
    await morph(
      `${rail(row('b'), row('a'))}<article id="sheet"><p>Two.</p><p>A longer text.</p><p>New.</p></article>`,
    )
    expect(await page.evaluate(() => String(getSelection()))).toBe('longer')
  })

  test('leaves what was typed, ticked and chosen, while the defaults follow the page', async () => {
    const form = (value: string, checked: string, chosen: string) =>
      `<form><input name="q" value="${value}"><input type="checkbox"${checked}><textarea>${value}</textarea>` +
      `<select>${['a', 'b', 'c'].map((one) => `<option${one === chosen ? ' selected' : ''}>${one}</option>`).join('')}</select>` +
      `<input type="hidden" name="h" value="${value}"></form>`
    await show(form('old', '', 'a'))
    await page.locator('[name=q]').fill('typed')
    await page.locator('textarea').fill('typed too')
    await page.locator('[type=checkbox]').check()
    await page.locator('select').selectOption('b')
    await morph(form('fresh', '', 'c'))
    const state = await page.evaluate(() => {
      const [field, box] = document.querySelectorAll('input')
      const area = document.querySelector('textarea')!
      return [field!.value, box!.checked, area.value, document.querySelector('select')!.value]
    })
    expect(state).toEqual(['typed', true, 'typed too', 'b'])
    expect(await page.locator('[name=q]').evaluate((one: any) => one.defaultValue)).toBe('fresh')
    expect(await page.locator('[name=h]').evaluate((one: any) => one.value)).toBe('fresh')
    await page.locator('form').evaluate((one: any) => one.reset())
    expect(await page.locator('textarea').inputValue()).toBe('fresh')
    expect(await page.locator('select').inputValue()).toBe('c')
  })

  test('brings the default into a field that nobody touched', async () => {
    const form = (value: string, checked: string, chosen: string) =>
      `<input name="q" value="${value}"><input type="checkbox"${checked}>` +
      `<select>${['a', 'b', 'c'].map((one) => `<option${one === chosen ? ' selected' : ''}>${one}</option>`).join('')}</select>`
    await show(form('old', '', 'b'))
    await morph(form('fresh', ' checked', 'c'))
    expect(await page.locator('select').inputValue()).toBe('c')
    expect(await page.locator('[name=q]').inputValue()).toBe('fresh')
    expect(await page.locator('[type=checkbox]').isChecked()).toBe(true)
  })

  test('leaves <details> as the reader opened or closed them', async () => {
    const details = (name: string, open: string) =>
      `<details id="${name}"${open}><summary>${name}</summary><p>Text</p></details>`
    await show(details('mine', '') + details('theirs', ' open'))
    await page.locator('#mine summary').click()
    await page.locator('#theirs summary').click()
    await morph(details('mine', '') + details('theirs', ' open') + details('new', ' open'))
    const open = await page
      .locator('details')
      .evaluateAll((all) => all.map((one: any) => [one.id, one.open]))
    expect(open).toEqual([
      ['mine', true],
      ['theirs', false],
      ['new', true],
    ])
  })

  test('opens new <details> that take in a row which stood elsewhere', async () => {
    await show(rail(row('a')))
    await morph(`<details open><summary>Older</summary>${row('a')}</details>`)
    expect(await page.locator('details').evaluate((one: any) => one.open)).toBe(true)
  })

  test('leaves alone what a script draws itself', async () => {
    const island = (text: string) => `<p id="live" data-live-skip>${text}</p>`
    await show(`${island('')}<p>Old</p>`)
    await page.locator('#live').evaluate((one) => {
      one.textContent = 'live'
      one.setAttribute('data-state', 'live')
    })
    await morph(`<h1>New</h1>${island('')}<p>Fresh</p>`)
    expect(await main()).toBe(
      '<h1>New</h1><p id="live" data-live-skip="" data-state="live">live</p><p>Fresh</p>',
    )
  })
})
