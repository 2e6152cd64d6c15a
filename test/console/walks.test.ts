import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit, type Visit } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { add } from '../tasks/given.ts'

const ROWS = 60

/** Enough of everything that each list is longer than the window. */
async function furnish(house: House): Promise<void> {
  const agent = await house.connect()
  await agent.call('session_start', { name: 'harbor', project: 'atlas' })
  for (let n = 0; n < ROWS; n++) {
    await house.session('atlas', { name: `session ${n}` })
    await agent.call('notes_create', { title: `Note ${n}`, body: 'b\n\n'.repeat(60) })
    const about = { kind: 'gotcha', description: `About ${n}`, body: 'b\n\n'.repeat(60) }
    await agent.call('memory_write', { name: `memory-${n}`, ...about })
  }
  const id = await add(agent, 'Mend the quay')
  await agent.call('tasks_claim', { id, lease_seconds: 900 })
  for (let n = 0; n < 30; n++) {
    await agent.call('tasks_add', { title: `Step ${n}`, plan: `plan-${n}` })
  }
  await research(house)
  for (let n = 0; n < ROWS; n++) await tried(agent, `Trial ${n}`, { lab: `lab ${n % 3}` })
  await house.app.kernel.telemetry.flush()
}

const focusIsIn = (page: Page, selector: string) =>
  page.waitForFunction((one) => Boolean(document.activeElement?.closest(one)), selector)

describe.skipIf(browserIsMissing())('with a keyboard alone', () => {
  let browser: Browser
  let house: House
  let window: Visit
  let page: Page
  beforeAll(async () => {
    browser = await openBrowser()
    house = await openHouse()
    await furnish(house)
    window = await visit(browser, house.url)
    await window.signIn(house.key)
    ;({ page } = window)
  })
  afterAll(async () => {
    await window[Symbol.asyncDispose]()
    await browser.close()
    await house[Symbol.asyncDispose]()
  })

  const open = async (path: string) => {
    await window.go(path)
    await page.locator('#live[data-state=live]').waitFor()
  }
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  test('every page is reached from every other, and its first stop leads past the navigation', async () => {
    await open('/console/')
    const entries = await page
      .locator('[data-go]')
      .evaluateAll((links) =>
        links.map((link) => [
          (link as HTMLElement).dataset['go']!,
          new URL((link as HTMLAnchorElement).href).pathname,
        ]),
      )
    expect(entries.length).toBeGreaterThan(4)
    for (const [key, path] of entries) {
      await press('Escape', 'g', key!)
      await page.waitForURL((url) => url.pathname.startsWith(path!))
      // Keys are heard from then on.
      await page.locator('#live[data-state=live]').waitFor()
      // The search gives its field the focus.
      if (path === '/console/search') continue
      await page.locator('body').evaluate(() => (document.activeElement as HTMLElement).blur())
      await press('Tab')
      expect(await page.locator('.skip:focus').count(), path).toBe(1)
    }
  })

  test.each([
    { what: 'a session', list: 'sessions', one: /\/console\/sessions\/\w{26}/ },
    { what: 'a trial', list: 'trials', one: /\/console\/trials\/\w{26}/ },
    { what: 'a lab', list: 'labs', one: /\/console\/labs\/lab%20\d/ },
  ])('$what is found, looked at beside the list and opened', async ({ list, one }) => {
    await open(`/console/${list}`)
    await press('j', 'j', 'Space')
    await page.locator('#peek:not([hidden]) .sheet-title').waitFor()
    const before = await page.locator('#peek .sheet-title').innerText()
    await press('j')
    await expect.poll(() => page.locator('#peek .sheet-title').innerText()).not.toBe(before)
    await press('Escape')
    await page.locator('#peek').waitFor({ state: 'hidden' })
    await focusIsIn(page, 'tr.row[aria-current=true]')
    await press('o')
    await page.waitForURL(one)
    await page.goBack()
    await page.locator(`.table--${list}`).waitFor()
  })

  test('a memory is read, and Esc leads back to its row', async () => {
    await open('/console/memories')
    const first = await page.locator('.sheet-title').innerText()
    await press('j')
    await expect.poll(() => page.locator('.sheet-title').innerText()).not.toBe(first)
    await press('Enter')
    await focusIsIn(page, '#sheet .sheet-title')
    await press('Escape')
    await focusIsIn(page, '.rail-item[aria-current=true]')
  })

  test('an agent’s card opens by key, and its lease counts down', async () => {
    await open('/console/now')
    const row = page.locator('tr.row[data-card]', { hasText: 'Mend the quay' })
    await row.focus()
    await press('Space')
    const card = page.locator('tr.card:visible')
    await card.waitFor()
    const lease = row.locator('time[data-lease]')
    const shown = await lease.innerText()
    expect(shown).toMatch(/^1[45]:\d\d$/)
    await expect.poll(() => lease.innerText()).not.toBe(shown)
    await press('Space')
    await card.waitFor({ state: 'hidden' })
  })

  test.each([
    { section: 'notes', path: '/console/notes', row: '.rail-item' },
    { section: 'memories', path: '/console/memories', row: '.rail-item' },
    { section: 'sessions', path: '/console/sessions', row: 'tr.row' },
  ])('focus and the place on the screen stay when $section is refreshed', async ({ path, row }) => {
    await open(path)
    const chosen = page.locator(`#main ${row}:visible`).nth(40)
    await chosen.focus()
    await press('j')
    await focusIsIn(page, `${row}[aria-current=true]`)
    const place = () =>
      page.evaluate(() => ({
        focus: document.activeElement?.id,
        top: Math.round(document.activeElement!.getBoundingClientRect().top),
      }))
    const before = await place()
    expect(before.focus).toMatch(/\w{26}$/)
    const agent = await house.connect()
    const name = `fresh-${path.slice(-3)}`
    await agent.call('session_start', { name, project: 'atlas' })
    await agent.call('notes_create', { title: name, body: 'b' })
    const about = { kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', { name, ...about })
    await page.locator(`#main ${row}`, { hasText: name }).waitFor({ state: 'attached' })
    expect(await place()).toEqual(before)
  })

  test('a row that was chosen stays chosen while the page is refreshed before its text comes', async () => {
    await open('/console/memories')
    let asked = 0
    await page.route('**/console/memories/*reader=1*', async (route) => {
      asked++
      await page.waitForTimeout(1_500)
      await route.continue()
    })
    await page.locator('#main .rail-item:visible').nth(20).focus()
    await press('j')
    await expect.poll(() => asked).toBeGreaterThan(0)
    const agent = await house.connect()
    const about = { kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', { name: 'meanwhile', project: 'atlas', ...about })
    await page.locator('#main .rail-item', { hasText: 'meanwhile' }).waitFor({ state: 'attached' })
    await focusIsIn(page, '.rail-item[aria-current=true]')
    const chosen = await page.locator('.rail-item[aria-current=true] .rail-title').innerText()
    await expect.poll(() => page.locator('.sheet-title').innerText()).toContain(chosen)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test.each([
    { section: 'notes', list: '/console/notes', row: '.rail-item', key: 'notes' },
    { section: 'memories', list: '/console/memories', row: '.rail-item', key: 'memories' },
    { section: 'plans', list: '/console/plans', row: '.rail-item', key: 'plans' },
  ])('a deep link to $section shows its row', async ({ list, row }) => {
    await open(list)
    const last = page.locator(`#main ${row}:visible`).last()
    const id = await last.getAttribute('id')
    const { pathname, search } = new URL(
      await last.evaluate((one) => (one as HTMLAnchorElement).href),
    )
    await open(pathname + search)
    const shown = page.locator(`#${id}`)
    expect(await shown.getAttribute('aria-current')).toBe('true')
    const box = (await shown.boundingBox())!
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.y + box.height).toBeLessThanOrEqual(900)
  })

  test('a deep link to a session beside its list shows both', async () => {
    await open('/console/sessions')
    const id = await page.locator('tr.row').last().getAttribute('id')
    const session = id!.replace('row-', '')
    await page.goto('about:blank')
    await open(`/console/sessions#peek=/console/sessions/${session}`)
    await page.locator(`#peek [data-open="${session}"]`).waitFor()
    const box = (await page.locator(`#${id}[aria-current=true]`).boundingBox())!
    expect(box.y + box.height).toBeLessThanOrEqual(900)
  })

  test('nothing went wrong meanwhile', () => expect(window.troubles).toEqual([]))
})
