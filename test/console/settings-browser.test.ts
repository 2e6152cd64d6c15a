import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest'
import { findOptions } from '../../src/briefing/briefing.ts'
import { listFamilies, saveFamily } from '../../src/projects/projects.ts'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'

const SETTINGS = '/console/settings'

describe.skipIf(browserIsMissing())('the settings in a browser', () => {
  let browser: Browser
  let house: House
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    house = await openHouse()
    for (const project of ['atlas', 'delta']) await house.inside(project)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  test.each([true, false])(
    'a briefing that is refused keeps what was typed and saves nothing, with scripts %s',
    async (script) => {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(SETTINGS)
      const findings = page.getByLabel('Earlier findings')
      const parent = page.getByLabel('Memories of the parent project')
      await findings.fill('three')
      await page.getByLabel('Ready tasks').fill('9')
      await parent.uncheck()
      await page.getByLabel('Utility mode').selectOption('off')
      await page.getByRole('button', { name: 'Save briefing' }).click()
      await page.getByRole('alert').filter({ hasText: 'invalid findings_count "three"' }).waitFor()
      const typed = async () => [
        await findings.inputValue(),
        await page.getByLabel('Ready tasks').inputValue(),
        await parent.isChecked(),
        await page.getByLabel('Utility mode').inputValue(),
      ]
      expect(await typed()).toEqual(['three', '9', false, 'off'])
      expect(await findOptions(house.app.kernel)).toEqual(house.app.kernel.config.briefing)

      await findings.fill('5')
      await page.getByRole('button', { name: 'Save briefing' }).click()
      await page.getByText('Briefing settings saved.').waitFor()
      expect(await typed()).toEqual(['5', '9', false, 'off'])
      expect(await findOptions(house.app.kernel)).toMatchObject({
        ...{ findings_count: 5, ready_tasks_shown: 9, utility_mode: 'off' },
        include_parent_memories: false,
      })
      // Nothing is saved again by a reload.
      await page.reload()
      expect(await house.events('settings.briefing_changed')).toHaveLength(1)
      expect(window.troubles).toEqual([])
    },
  )

  test.each([true, false])(
    'a family that is refused stays open with its name and members, with scripts %s',
    async (script) => {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(SETTINGS)
      const fresh = page.locator('#new-family')
      await fresh.locator('summary').click()
      await fresh.getByLabel('Name').fill('Big Shop')
      await fresh.getByLabel('atlas').check()
      await fresh.getByRole('button', { name: 'Create family' }).click()
      await page.getByRole('alert').filter({ hasText: 'did you mean "big-shop"' }).waitFor()
      expect(await fresh.getByLabel('Name').inputValue()).toBe('Big Shop')
      expect(await fresh.getByLabel('atlas').isChecked()).toBe(true)
      expect(await fresh.getByLabel('delta').isChecked()).toBe(false)
      expect(await listFamilies(house.app.kernel)).toEqual([])

      await fresh.getByLabel('Name').fill('big-shop')
      await fresh.getByRole('button', { name: 'Create family' }).click()
      await page.getByText('Family big-shop created.').waitFor()
      await page.locator('#family-big-shop').waitFor()
      expect(window.troubles).toEqual([])
    },
  )

  test('what is switched in one tab shows in another, and what is typed there stays', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    await window.go(SETTINGS)
    await window.page.locator('#live[data-state=live]').waitFor()
    const other = await window.context.newPage()
    await other.goto(`${house.url}${SETTINGS}`)
    await window.page.getByLabel('Longest briefing').fill('4')
    await window.page.locator('#main').focus()
    await other.getByRole('switch', { name: 'Research' }).check()
    await other.getByRole('button', { name: 'Save features' }).click()
    await other.getByText('On: Research.').waitFor()
    await window.page.bringToFront()
    await window.page.locator('#feature-research').getByText('Enabled').waitFor()
    expect(await window.page.getByRole('switch', { name: 'Research' }).isChecked()).toBe(true)
    expect(await window.page.getByLabel('Longest briefing').inputValue()).toBe('4')
    expect(window.troubles).toEqual([])
  })

  test('a reset asks first, and the index follows what is read', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/notes')
    await page.keyboard.press('g')
    await page.keyboard.press(',')
    await page.waitForURL(`**${SETTINGS}`)
    const current = page.locator('.settings-index [aria-current]')
    expect(await current.textContent()).toContain('Features')
    await page.getByRole('switch', { name: 'Momentum' }).check()
    await page.getByRole('button', { name: 'Save features' }).click()
    await page.getByText('On: Momentum.').waitFor()
    const reset = page.locator('#confirm-features')
    await reset.locator('summary').click()
    await reset.getByRole('button', { name: 'Reset features' }).click()
    await page.getByText('Feature override cleared.').waitFor()
    await page.locator('#confirm-features').waitFor({ state: 'detached' })
    expect(await page.getByRole('switch', { name: 'Momentum' }).isChecked()).toBe(false)

    await page.getByRole('link', { name: 'Storage' }).click()
    await expect.poll(() => current.textContent()).toContain('Storage')
    expect(new URL(page.url()).hash).toBe('#storage')
    expect(window.troubles).toEqual([])
  })

  test('what was typed stays when the page cannot be fetched after it was saved', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(SETTINGS)
    const findings = page.getByLabel('Earlier findings')
    await findings.fill('11')
    await page.getByLabel('Utility mode').selectOption('off')
    // What follows a form is fetched by its own request: that one fails, as when the service has just gone away.
    let fetched = 0
    await page.route(`**${SETTINGS}*`, (route) =>
      route.request().method() === 'GET' && !route.request().url().includes('notice=')
        ? (fetched++, route.abort())
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Save briefing' }).click()
    await page.getByText('Briefing settings saved.').waitFor()
    expect(fetched).toBeGreaterThan(0)
    expect([
      await findings.inputValue(),
      await page.getByLabel('Utility mode').inputValue(),
    ]).toEqual(['11', 'off'])
    expect(await findOptions(house.app.kernel)).toMatchObject({
      ...{ findings_count: 11, utility_mode: 'off' },
    })
  })

  test('what was typed stays when the session has ended, and is saved after another sign-in', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page, context } = window
    await window.go(SETTINGS)
    await page.locator('[data-live][data-state=live]').waitFor({ state: 'attached' })
    const ready = page.getByLabel('Ready tasks')
    await ready.fill('9')
    await ready.blur()
    const cookies = await context.cookies()
    await context.clearCookies()
    const said = page.getByText('You are signed out. What you typed stays')
    const stays = async () => {
      await said.waitFor()
      expect([new URL(page.url()).pathname, await ready.inputValue()]).toEqual([SETTINGS, '9'])
    }
    // By a refresh, and by the form itself.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await stays()
    await page.locator('.toast').evaluate((toast) => toast.remove())
    await page.getByRole('button', { name: 'Save briefing' }).click()
    await stays()
    await context.addCookies(cookies)
    await page.getByRole('button', { name: 'Save briefing' }).click()
    await page.getByText('Briefing settings saved.').waitFor()
    expect(await findOptions(house.app.kernel)).toMatchObject({ ready_tasks_shown: 9 })
  })

  test('what was typed for a family stays when another tab ends it', async () => {
    const { kernel } = house.app
    await saveFamily(kernel, 'console', { family: 'shop', projects: ['atlas'] })
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(SETTINGS)
    await page.locator('#live[data-state=live]').waitFor()
    const shop = page.locator('#family-shop')
    await shop.locator('summary').first().click()
    await shop.getByLabel('Name').fill('bazaar')
    await shop.getByLabel('delta').check()
    await page.locator('#main').focus()
    await saveFamily(kernel, 'console', { family: 'market', was: 'shop', projects: ['atlas'] })
    await page.locator('#family-market').waitFor()
    expect(await shop.getByLabel('Name').inputValue()).toBe('bazaar')
    expect(await shop.getByLabel('delta').isChecked()).toBe(true)
    await shop.getByRole('button', { name: 'Save family' }).click()
    await page.getByRole('alert').filter({ hasText: 'no family "shop"' }).waitFor()
    expect(await shop.getByLabel('Name').inputValue()).toBe('bazaar')
    expect(await listFamilies(kernel)).toMatchObject([{ family: 'market', projects: ['atlas'] }])
    expect(window.troubles).toEqual([])
  })

  test('the index is gone through by keys, and marks each section that it leads to', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(SETTINGS)
    const links = page.locator('.settings-index a')
    const count = await links.count()
    expect(count).toBeGreaterThanOrEqual(10)
    await links.first().focus()
    for (let nth = 0; nth < count; nth++) {
      const link = links.nth(nth)
      expect(await link.evaluate((one) => one === document.activeElement)).toBe(true)
      await page.keyboard.press('Enter')
      const hash = await link.getAttribute('href')
      await expect
        .poll(() => page.locator('.settings-index [aria-current]').getAttribute('href'))
        .toBe(hash)
      expect(await page.locator('.settings-index [aria-current]').count()).toBe(1)
      expect(new URL(page.url()).hash).toBe(hash)
      const box = await page.locator(`${hash} h2`).boundingBox()
      expect(box!.y).toBeGreaterThanOrEqual(0)
      expect(box!.y).toBeLessThan(await page.evaluate(() => innerHeight))
      // The next stop of the Tab key lies in the section: back into the index.
      await links.nth(Math.min(nth + 1, count - 1)).focus()
    }
    expect(window.troubles).toEqual([])
  })

  test.each([true, false])(
    'scopes that are refused keep what was chosen, with scripts %s',
    async (script) => {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(SETTINGS)
      await page.getByLabel('Order in atlas by utility').selectOption('off')
      await page.getByLabel('Order in delta by utility').selectOption('on')
      await sql`delete from projects where slug = 'delta'`.execute(house.app.kernel.db)
      await page.getByRole('button', { name: 'Save scopes' }).click()
      await page.getByRole('alert').filter({ hasText: 'no project "delta"' }).waitFor()
      expect(await page.getByLabel('Order in atlas by utility').inputValue()).toBe('off')
      const { rows } = await sql`select from settings where key = 'utility_activation'`.execute(
        house.app.kernel.db,
      )
      expect(rows).toEqual([])
      expect(window.troubles).toEqual([])
    },
  )
})
