/** What opens on a page: menus, a pane beside a row, a card, what is folded. Found in its markup. */
import type { Page } from 'playwright-core'
import type { Sight } from './sights.ts'
import type { Asker } from './stores.ts'

type Opened = Pick<Sight, 'name' | 'prepare' | 'width' | 'zoom' | 'over'>

/** @param list the page of the list beside a reader: a narrow window shows the one or the other */
export async function openersOf(path: string, ask: Asker, list?: string): Promise<Opened[]> {
  const text = await ask.text(path)
  const menus = menusIn(text)
  const ofList = list ? menusIn(await ask.text(list)) : []
  return [
    ...(menus.map((menu) => ({
      name: `menu-${menu}`,
      width: 1440,
      ...(ofList.includes(menu) && { zoom: false }),
      over: `#menu-${menu} .menu-list`,
      async prepare(page) {
        // A narrow window has the menus behind its filters.
        await openFirst(page, '#filters:not([open]) > summary')
        await page.locator(`#menu-${menu} > summary`).click()
      },
    })) satisfies Opened[]),
    ...(!list && text.includes('id="filters"') ? [filters] : []),
    ...(/<tr [^>]*data-peek="/.test(text) ? [peek] : []),
    ...(text.includes('data-card="') ? [card] : []),
    ...(text.includes('class="figure-about"') ? [definition] : []),
    ...(text.includes('class="confirm"') ? [confirm] : []),
    ...(UNFOLDS.test(text) ? [unfolded] : []),
  ]
}

const menusIn = (text: string): string[] =>
  [...text.matchAll(/<details class="menu"[^>]* id="menu-([\w-]+)"/g)].map(([, menu]) => menu!)

const filters: Opened = {
  name: 'filters',
  width: 390,
  prepare: (page) => page.locator('#filters > summary').click(),
}

const peek: Opened = {
  name: 'peek',
  over: '#peek',
  async prepare(page) {
    await page
      .locator('tr[data-peek]')
      .first()
      .evaluate((row) => (row as HTMLElement).click())
    await page.locator('#peek:not([hidden])').waitFor()
  },
}

const card: Opened = {
  name: 'card',
  async prepare(page) {
    await page
      .locator('[data-card] summary')
      .first()
      .evaluate((one) => (one as HTMLElement).click())
    await page.locator('tr.card:visible').first().waitFor()
  },
}

/** What lies over nothing. */
const UNFOLDS = /<details(?! class="(?:menu|filters-toggle|figure-about|confirm))/

/** A phone does not show what stands beside a list. */
async function openFirst(page: Page, selector: string): Promise<void> {
  const first = page.locator(selector).locator('visible=true').first()
  if ((await first.count()) > 0) await first.click()
}

const definition: Opened = {
  name: 'definition',
  over: '.figure-about[open] p',
  prepare: (page) => openFirst(page, '.figure-about > summary'),
}

const confirm: Opened = {
  name: 'confirm',
  over: '.confirm[open] .confirm-card',
  prepare: (page) => openFirst(page, '.confirm > summary'),
}

const unfolded: Opened = {
  name: 'unfolded',
  prepare: (page) =>
    page.evaluate(() => {
      const folded = document.querySelectorAll<HTMLDetailsElement>(
        '#main details:not(.menu, .filters-toggle, .figure-about, .confirm)',
      )
      for (const one of folded) one.open = true
    }),
}
