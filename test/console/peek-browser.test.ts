import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visitLive } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe.skipIf(browserIsMissing())('the pane beside a table', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const open = (house: House, path: string) => visitLive(browser, house, path)
  const title = (page: Page) => page.locator('#peek:not([hidden]) .sheet-title').innerText()
  const peekAt = async (page: Page, row: string) => {
    await page.locator(row).first().focus()
    await page.keyboard.press('Space')
    await expect.poll(() => page.url()).toContain('#peek=')
  }
  const addTwo = async (house: House): Promise<[id: string, id: string]> => {
    const agent = await house.inside('atlas')
    const { id: one } = await agent.call('tasks_add', { title: 'Mark the reef' })
    const { id: other } = await agent.call('tasks_add', { title: 'Buoy the wreck' })
    return [one as string, other as string]
  }

  test('is open again by its address where the thing has parameters of its own', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Tides first', body: 'x', plan: 'tides-first' })
    for (const [path, row, shown] of [
      ['/console/search?q=tides-first', '.row[data-kind=plan]', 'Tides first'],
      ['/console/projects?w=7d', '#row-atlas', 'atlas'],
    ] as const) {
      await using window = await open(house, path)
      const { page } = window
      await peekAt(page, row)
      await page.reload()
      expect(await title(page)).toBe(shown)
      expect(await page.locator(row).getAttribute('aria-current')).toBe('true')
      expect(window.troubles).toEqual([])
    }
  })

  test('opens by an address that is pasted into the page which is open', async () => {
    await using house = await openHouse()
    const [one, other] = await addTwo(house)
    await using window = await open(house, '/console/tasks')
    const { page } = window
    await window.go(`/console/tasks#peek=/console/tasks/${one}`)
    await expect.poll(() => title(page)).toBe('Mark the reef')
    await window.go(`/console/tasks#peek=/console/tasks/${other}`)
    await expect.poll(() => title(page)).toBe('Buoy the wreck')
    await page.keyboard.press('Escape')
    await window.go(`/console/tasks#row-${one}`)
    await expect.poll(() => page.locator(`#row-${one}`).getAttribute('aria-current')).toBe('true')
  })

  test('gives the focus to the list on Escape, though its row was filtered away', async () => {
    await using house = await openHouse()
    const [one, other] = await addTwo(house)
    await using window = await open(house, '/console/tasks')
    const { page } = window
    await peekAt(page, `#row-${one}`)
    await page.locator('[data-filter]').pressSequentially('wreck')
    await page.locator(`#row-${one}`).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.locator('#peek').waitFor({ state: 'hidden' })
    const focused = () => page.evaluate(() => document.activeElement?.id)
    expect(await focused()).toBe(`row-${other}`)
    // Opened by an address whose row is on no list.
    await page.locator('[data-filter]').fill('wreck')
    await page.reload()
    await window.go(`/console/tasks?q=wreck#peek=/console/tasks/${one}`)
    await expect.poll(() => title(page)).toBe('Mark the reef')
    await page.locator('#peek a').first().focus()
    await page.keyboard.press('Escape')
    expect(await focused()).toBe(`row-${other}`)
    expect(window.troubles).toEqual([])
  })

  test('closes when what it shows is deleted, and says so once', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    for (const name of ['quays', 'tides']) {
      const fact = { kind: 'gotcha', description: `What ${name} says`, body: 'B.' }
      await agent.call('memory_write', { name, ...fact })
    }
    await using window = await open(house, '/console/search?q=tides')
    const { page } = window
    await peekAt(page, '.row[data-kind=memory]')
    await agent.call('memory_delete', { name: 'tides', project: 'atlas' })
    await page.getByText('This is no longer there.').waitFor()
    expect(await page.locator('#peek').isVisible()).toBe(false)
    expect(page.url()).not.toContain('#')
  })

  test('stays as it is while the service fails, and leads to the key once it is asked for again', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id: one } = await agent.call('tasks_add', { title: 'Mark the reef' })
    const { id: other } = await agent.call('tasks_add', { title: 'Buoy the wreck' })
    await using window = await open(house, '/console/tasks')
    const { page, context } = window
    await peekAt(page, `#row-${one as string}`)
    await page.route(`**/${other as string}?peek=1`, (route) => route.fulfill({ status: 503 }))
    await page.locator(`#row-${other as string}`).focus()
    await page.keyboard.press('Space')
    await page.getByText('Loam does not answer yet.').waitFor()
    expect(await title(page)).toBe('Mark the reef')
    await page.unrouteAll()
    await context.clearCookies()
    await page.locator(`#row-${one as string}`).focus()
    await page.keyboard.press('Space')
    await page.waitForURL('**/console/login?next=%2Fconsole%2Ftasks')
    // Whoever is given the address and is not signed in is asked for the key once.
    let asked = 0
    page.on('request', (request) => (asked += Number(request.isNavigationRequest())))
    await window.go(`/console/tasks#peek=/console/tasks/${one as string}`)
    await page.waitForURL('**/console/login?**')
    await page.getByLabel('Key of this installation').fill(house.key)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.waitForURL('**/console/tasks**')
    expect(asked).toBeLessThan(6)
  })
})
